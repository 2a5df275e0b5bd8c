// C9. Tests NodeHost in a real Node. ADDONS is the folder of the addons:
//   ADDONS=… node --test addon.test.js
'use strict';
const assert = require('node:assert');
const { spawnSync } = require('node:child_process');
const { readFile } = require('node:fs');
const { connect } = require('node:net');
const { test } = require('node:test');
const { inspect } = require('node:util');
const { Worker } = require('node:worker_threads');

const folder = process.env.ADDONS;
const path = `${folder}/test-addon.node`;
const addon = require(path);
const turn = () => new Promise(setImmediate);

// Runs a script in a new Node. Its `addon` is the addon.
function run(script, ...options) {
  const code = `const addon = require(${JSON.stringify(path)});\n${script}`;
  const { status, signal, stdout, stderr } =
    spawnSync(process.execPath, [...options, '-e', code], { encoding: 'utf8' });
  return { status: signal ?? status, stdout, stderr };
}

// Runs a script in a new worker thread, and returns its messages, errors and exit code.
function inWorker(script, whileRunning = () => {}) {
  const code = `const { parentPort } = require('node:worker_threads');
    const addon = require(${JSON.stringify(path)});\n${script}`;
  const worker = new Worker(code, { eval: true });
  const result = { messages: [], errors: [] };
  worker.on('message', (message) => {
    result.messages.push(message);
    whileRunning(worker, message);
  });
  worker.on('error', (error) => result.errors.push(error));
  return new Promise((resolve) => {
    worker.on('exit', (code) => resolve({ ...result, code }));
  });
}

// MARK: Values and errors

test('each kind of value is copied in both directions', () => {
  const values = [
    undefined, null, true, false, 0, -1.5, Infinity, '', 'tick \u{1F552}', [], [1, ['a']], {},
    { a: { b: [null] } },
  ];
  for (const value of values) assert.deepStrictEqual(addon.echo(value), value);
  assert(Number.isNaN(addon.echo(NaN)));
  assert.deepStrictEqual(addon.echo(new Uint8Array([1, 2])), Buffer.from([1, 2]));
  assert.deepStrictEqual(addon.echo(new Uint8Array()), Buffer.from([]));
  const double = (x) => 2 * x;
  assert.strictEqual(addon.echo(double), double);
  assert.strictEqual(addon.echo('\ud83d'), '\ufffd');
  assert.strictEqual(addon.count(), 0);
  assert.strictEqual(addon.count(1, undefined), 2);
});

test('a value that cannot be copied throws a TypeError', () => {
  const cycle = {};
  cycle.self = cycle;
  for (const value of [Symbol('s'), 1n, cycle, new Float64Array(1)])
    assert.throws(() => addon.echo(value), TypeError);
  assert.throws(() => addon.string(1), { name: 'TypeError', code: 'ERR_INVALID_ARG_TYPE' });
});

test('an error keeps its name, message and code in both directions', () => {
  assert.throws(() => addon.fail('low'), { name: 'RangeError', message: 'low', code: 'ERR_TEST' });
  assert.strictEqual(addon.call((a, b) => a + b, 2, 3), 5);
  const result = addon.catching(() => { throw new SyntaxError('odd'); });
  assert.deepStrictEqual(result, { name: 'SyntaxError', message: 'odd' });
  assert.strictEqual(addon.catching(() => { throw 'text'; }).message, 'text');
  assert.throws(() => addon.call(() => { throw new RangeError('far'); }), { message: 'far' });
});

// MARK: Transactions

test('a transaction that JavaScript commits many times is performed once in its tick', async () => {
  const calls = [];
  const target = addon.makeTarget((performances, commits) => calls.push([performances, commits]));
  for (let i = 0; i < 100; i++) addon.commit(target);
  assert.deepStrictEqual(calls, []);
  await turn();
  assert.deepStrictEqual(calls, [[1, 100]]);
  await turn();
  addon.commit(target);
  addon.commit(target);
  await turn();
  assert.deepStrictEqual(calls, [[1, 100], [2, 102]]);
});

test('ticks and microtasks that a transaction queues run before the next transaction', async () => {
  const trace = [];
  const listener = (name) => () => {
    trace.push(name);
    process.nextTick(() => trace.push(`${name} tick`));
    Promise.resolve().then(() => trace.push(`${name} microtask`));
  };
  addon.commit(addon.makeTarget(listener('a')));
  addon.commit(addon.makeTarget(listener('b')));
  await turn();
  assert.deepStrictEqual(trace, ['a', 'a tick', 'a microtask', 'b', 'b tick', 'b microtask']);
});

test('an error of a transaction, and of its listener, is an uncaughtException', () => {
  const result = run(`
    process.on('uncaughtException', (error) => console.log(error.message));
    addon.commit(addon.makeTarget(() => { throw new Error('a listener failed'); }));
    addon.commit(addon.makeTarget(() => {}, true));`);
  assert.deepStrictEqual(result,
    { status: 0, stdout: 'a listener failed\na transaction failed\n', stderr: '' });
  assert.strictEqual(run(`addon.commit(addon.makeTarget(() => {}, true));`).status, 1);
});

// MARK: Promises

test('an asynchronous function resolves or rejects its promise', async () => {
  assert.strictEqual(await addon.sumLater(1, 2, 3), 6);
  await assert.rejects(addon.failLater('bad'), { name: 'TypeError', message: 'bad' });
  await assert.rejects(addon.cancelLater(), { name: 'AbortError', code: 'ABORT_ERR' });
  const sums = await Promise.all(Array.from({ length: 1000 }, (_, i) => addon.sumLater(i, 1)));
  assert.deepStrictEqual(sums, Array.from({ length: 1000 }, (_, i) => i + 1));
});

test('500 operations, one at a time, resolve their promises', async (context) => {
  const times = [];
  for (let number = 0; number < 500; number++) {
    const start = performance.now();
    assert.strictEqual(await addon.sumLater(number, 1), number + 1);
    times.push((performance.now() - start) * 1000);
  }
  times.sort((first, second) => first - second);
  const texts = [50, 99].map((percent) => `p${percent} ${times[percent * 5 - 1].toFixed(0)} µs`);
  context.diagnostic(`Node ${process.versions.node}: ${texts.join(', ')} of 500 round trips`);
});

test('operations run on workers, and complete in order on the thread of Node', async () => {
  const results = await addon.operations();
  assert.deepStrictEqual(results, Array.from({ length: 10 }, (_, number) =>
    ({ number, 'ran on the loop': false, 'completed on the loop': true })));
  await assert.rejects(addon.cancelledOperation(), { name: 'AbortError' });
});

test('a promise that is released without a result is rejected', async () => {
  await assert.rejects(addon.forgotten(), { code: 'ERR_NO_RESULT' });
});

test('promises that are settled in one tick react afterwards, in the order settled', async () => {
  const order = [];
  const promises = addon.settledTogether();
  const pending = () => promises.filter((promise) => inspect(promise).includes('pending')).length;
  assert.strictEqual(pending(), 3);
  await Promise.all(promises.map((promise) =>
    promise.then((value) => order.push([value, pending()]))));
  assert.deepStrictEqual(order, [[2, 0], [0, 0], [1, 0]]);
});

test('main-actor code and actors of the loop run on the thread of Node', async () => {
  assert.strictEqual(await addon.mainActor(), 1000);
  assert.strictEqual(await addon.pinned(), 1000);
});

// MARK: Sharing the loop

test('Node exits when nothing is pending, and not before', () => {
  const result = run(`
    addon.sumLater(1, 2).then((sum) => { console.log(sum); return addon.mainActor(); })
      .then((hops) => { console.log(hops); addon.commit(addon.makeTarget(() => console.log('last'))); });
    process.on('exit', () => console.log('exit'));`);
  assert.deepStrictEqual(result, { status: 0, stdout: '3\n1000\nlast\nexit\n', stderr: '' });
  assert.deepStrictEqual(run(''), { status: 0, stdout: '', stderr: '' });
});

// L5, L7. Each pair is alone in the loop. With a timer, a loop that loses the work keeps
// running until the timer ends the process. Without one, the process ends early.
for (const isAlive of [true, false]) {
  test(`work that begins anywhere is performed before the loop waits${
    isAlive ? '' : ', or ends'}`, () => {
    const result = run(`
      const { readFile } = require('node:fs');
      const { createSocket } = require('node:dgram');
      const works = ['transaction', 'post', 'element', 'observer', 'operation'];
      const places = [...works, 'lt timer', 'uv timer', 'idle', 'prepare', 'check', 'async', 'close'];
      const inNode = {
        call: (body) => body(),
        tick: (body) => process.nextTick(body),
        microtask: (body) => queueMicrotask(body),
        immediate: (body) => setImmediate(body),
        timer: (body) => setTimeout(body, 1),
        file: (body) => readFile('/proc/self/stat', body),
        promise: (body) => addon.sumLater(1).then(body),
        poll: (body) => {
          const socket = createSocket('udp4');
          socket.on('message', () => { socket.close(); body(); });
          socket.bind(0, '127.0.0.1', () => socket.send('x', socket.address().port, '127.0.0.1'));
        },
        'socket close': (body) => {
          const socket = createSocket('udp4');
          socket.bind(0, '127.0.0.1', () => socket.close(body));
        },
      };
      for (const place of places) inNode['in ' + place] = (body) => addon.enter(place, body);
      // A check handle does not end a poll, but an immediate does.
      inNode['in check'] = (body) => { addon.enter('check', body); setImmediate(() => {}); };
      const pairs = Object.keys(inNode).flatMap((place) => works.map((work) => [place, work]));
      let [count, last] = [0, []];
      const next = () => {
        const pair = pairs[count];
        if (pair === undefined) return;
        last = pair;
        const forgotten = setTimeout(() => process.exit(1), 60_000);
        if (!${isAlive}) forgotten.unref();
        inNode[pair[0]](() => addon.begin(pair[1], () => {
          clearTimeout(forgotten);
          count++;
          setImmediate(next);
        }));
      };
      process.on('exit', () => console.log(count, pairs.length, ...count < pairs.length ? last : []));
      next();`);
    assert.deepStrictEqual(result, { status: 0, stdout: '105 105\n', stderr: '' });
  });
}

test('an addon that waits for Swift makes no tick until a timer is due, and its threads seldom wake', (context) => {
  const result = run(`
    const { readdirSync, readFileSync } = require('node:fs');
    const loops = () => performance.nodeTiming.uvMetricsInfo?.loopCount ?? 0;
    // How often the threads have waited.
    const waits = () => readdirSync('/proc/self/task').reduce((sum, thread) => {
      let status = '';
      // A thread may end meanwhile.
      try { status = readFileSync('/proc/self/task/' + thread + '/status', 'latin1'); } catch {}
      return sum + Number(/^voluntary_ctxt_switches:\\s*([0-9]+)/m.exec(status)?.[1] ?? 0);
    }, 0);
    addon.mainActor().then(() => setImmediate(() => {
      addon.settleTooLate();
      setImmediate(() => {
        const before = [addon.ticks(), loops(), waits(), process.cpuUsage()];
        setTimeout(() => {
          const { user, system } = process.cpuUsage(before[3]);
          console.log(addon.ticks() - before[0], loops() - before[1], waits() - before[2], user + system);
          process.exit();
        }, 2000);
      });
    }));`);
  const [ticks, loops, waits, cpu] = result.stdout.split(' ').map(Number);
  context.diagnostic(`Node ${process.versions.node}: ${ticks} ticks, ${loops} iterations, ${waits
    } waits of all threads and ${cpu} µs of CPU time in 2 s`);
  // One tick ends, one waits for the timer. libuv may wake a millisecond early.
  assert(ticks >= 1 && ticks <= 4 && loops <= 4, JSON.stringify(result));
  // V8 has threads of its own. Polling would wait at least once in 10 ms.
  assert(waits <= 50, JSON.stringify(result));
});

test('JavaScript frees a function that Swift has released', () => {
  const result = run(`
    let freed = 0;
    const registry = new FinalizationRegistry(() => freed++);
    for (let i = 0; i < 100; i++) {
      const f = () => i;
      registry.register(f);
      addon.echo(f);
    }
    const wait = () => {
      gc();
      if (freed < 100) setImmediate(wait); else console.log('freed');
    };
    wait();`, '--expose-gc');
  assert.strictEqual(result.stdout, 'freed\n');
});

test('a function of an addon that could not be loaded throws', () => {
  const script = `const addon = { exports: {} };
    try { process.dlopen(addon, ${JSON.stringify(path)}); } catch (error) { console.log(error.message); }
    try { addon.exports.count(1); } catch (error) { console.log(error.code); }`;
  const env = { ...process.env, TEST_ADDON_FAILS: '1', MALLOC_PERTURB_: '85' };
  const { status, stdout } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8', env });
  assert.deepStrictEqual([status, stdout], [0, 'the addon failed\nERR_ENVIRONMENT_ENDED\n']);
});

test('an environment can load an addon twice, and several addons', async () => {
  const result = run(`
    delete require.cache[${JSON.stringify(path)}];
    const second = require(${JSON.stringify(path)});
    const stats = require(${JSON.stringify(`${folder}/request-stats.node`)});
    const target = second.makeTarget(() => console.log('performed'));
    second.commit(target);
    second.commit(target);
    stats.record('/', 1);
    Promise.all([addon.mainActor(), second.mainActor(), stats.summary('/')])
      .then(([one, two, summary]) => console.log(one, two, summary.count));`);
  assert.deepStrictEqual(result, { status: 0, stdout: 'performed\n1000 1000 1\n', stderr: '' });
});

test('an addon that is linked with libuv uses the one of Node, or cannot be loaded', () => {
  const linked = JSON.stringify(`${folder}/linked-addon.node`);
  assert.strictEqual(run(`require(${linked}).answer().then(console.log);`).stdout, '42\n');
  const { RTLD_NOW, RTLD_DEEPBIND } = require('node:os').constants.dlopen;
  assert.throws(() => process.dlopen({ exports: {} }, `${folder}/linked-addon.node`,
    RTLD_NOW | RTLD_DEEPBIND), { code: 'ERR_SECOND_LIBUV' });
});

test('timers, files, immediates and promises go on beside posts and commits without a pause',
  async () => {
    addon.beginFlood();
    const counts = { timer: 0, file: 0, immediate: 0, promise: 0 };
    const repeat = async (name, step) => {
      while (counts[name] < 50) {
        await step();
        counts[name]++;
      }
    };
    await Promise.all([
      repeat('timer', () => new Promise((resolve) => setTimeout(resolve, 1))),
      repeat('file', () => new Promise((resolve) => readFile(__filename, resolve))),
      repeat('immediate', turn),
      repeat('promise', () => addon.sumLater(1)),
    ]);
    const { posts, performances } = addon.endFlood();
    assert(posts > 1000 && performances >= 50, `${posts} posts, ${performances} performances`);
  });

test('a server of Swift and clients of JavaScript share the loop', async () => {
  const port = addon.serve();
  const received = await new Promise((resolve, reject) => {
    const client = connect(port, '127.0.0.1', () => client.end('hello'));
    const chunks = [];
    client.on('data', (chunk) => chunks.push(chunk));
    client.on('end', () => resolve(Buffer.concat(chunks).toString()));
    client.on('error', reject);
  });
  addon.stopServing();
  assert.strictEqual(received, 'hello');
});

// MARK: The end

test('process.exit ends a process whose work is pending, with its code', () => {
  for (let i = 0; i < 5; i++) {
    const result = run(`
      addon.beginFlood();
      addon.leave();
      addon.settleTooLate();
      setImmediate(() => process.exit(7));`);
    assert.deepStrictEqual(result, { status: 7, stdout: '', stderr: '' });
  }
  // In a callback of the loop.
  const result = run('addon.commit(addon.makeTarget(() => process.exit(8)));');
  assert.deepStrictEqual(result, { status: 8, stdout: '', stderr: '' });
});

test('an uncaught error ends a process whose work is pending', () => {
  const result = run(`addon.beginFlood(); addon.leave();
    setImmediate(() => { throw new Error('fatal'); });`);
  assert.strictEqual(result.status, 1);
  assert.match(result.stderr, /Error: fatal/);
});

test('a worker thread has a loop of its own, and main-actor code runs on the main thread',
  async () => {
    const result = await inWorker(`
      const target = addon.makeTarget((...counts) => parentPort.postMessage(counts));
      for (let i = 0; i < 100; i++) addon.commit(target);
      addon.operations().then((all) =>
        parentPort.postMessage(all.every((one) => one['completed on the loop'])));
      addon.mainActor().then((hops) => parentPort.postMessage(hops));`);
    const messages = result.messages.sort();
    assert.deepStrictEqual([messages, result.errors, result.code], [[0, [1, 100], true], [], 0]);
  });

test('a worker thread that loads the addon first gets an error', () => {
  const result = spawnSync(process.execPath, ['-e', `
    const { Worker } = require('node:worker_threads');
    const worker = new Worker(${JSON.stringify(`require(${JSON.stringify(path)})`)}, { eval: true });
    worker.on('error', (error) => console.log(error.code));`], { encoding: 'utf8' });
  assert.deepStrictEqual([result.stdout, result.stderr, result.status],
    ['ERR_MAIN_THREAD_FIRST\n', '', 0]);
});

test('a function of another environment cannot be passed to JavaScript', async () => {
  addon.keep(() => {});
  const { errors } = await inWorker('addon.kept();');
  assert.match(errors[0].message, /another JavaScript environment/);
});

// `end` ends the worker while work of each kind is pending.
async function leaveInWorker(end) {
  const before = addon.probes();
  const result = await inWorker(`
    addon.leave();
    addon.settleTooLate();
    parentPort.postMessage('left');
    ${end}`, end === '' ? (worker) => worker.terminate() : undefined);
  assert.deepStrictEqual(result.errors, []);
  const change = () => {
    const after = addon.probes();
    return Object.fromEntries(Object.keys(after).map((key) => [key, after[key] - before[key]]));
  };
  // The late task runs on a thread of Swift.
  while (change().made > change().released) await turn();
  return change();
}

const everything = { made: 103, released: 103, performed: 2, completed: 100, cancelled: 1 };

test('terminating a worker thread performs its accepted work and releases everything',
  async () => {
    for (let i = 0; i < 5; i++) assert.deepStrictEqual(await leaveInWorker(''), everything);
  });

test('process.exit in a worker thread does the same', async () => {
  assert.deepStrictEqual(await leaveInWorker('process.exit(3);'), everything);
});

test('an addon stays in memory while its threads run', async () => {
  for (let i = 0; i < 10; i++) {
    const { errors } = await inWorker('addon.beginFlood(); setImmediate(() => process.exit());');
    assert.deepStrictEqual(errors, []);
  }
});
