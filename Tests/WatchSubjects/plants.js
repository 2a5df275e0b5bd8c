// usage: TRUTH=FILE node plants.js [--worker] ROUNDS PLANT…
//
// Holds the loop of Node.js with each plant, ROUNDS times, and writes what it planted
// to TRUTH. Tests/WatchSubjects/README.md has the format.
'use strict';
const { execSync, spawn } = require('node:child_process');
const crypto = require('node:crypto');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { Worker, isMainThread, workerData } = require('node:worker_threads');

const now = process.hrtime.bigint;
const folder = path.dirname(process.env.TRUTH);
const fifo = path.join(folder, `fifo-${process.pid}`);

// MARK: Plants
// A plant is a function, whose name the watch must find. `prepare` runs in an earlier
// tick. `cause` is 'running' unless it says otherwise.

function busyLoop() {
  const end = now() + 60_000_000n;
  let sum = 0;
  while (now() < end) for (let i = 0; i < 1000; i++) sum += i % 7;
  return sum;
}

// Computes for 20 ms of CPU time, so that it takes longer if others use the CPU.
function computeTwentyMs() {
  const end = cpuTimes()[0] + 20_000_000;
  while (cpuTimes()[0] < end) for (let i = 0; i < 1000; i++) Math.sqrt(i);
}

function runChild() { execSync('sleep 0.06'); }
runChild.cause = 'blocked';
runChild.reason = 'wait for the child (sh|sleep)';

function openFifo() { fs.readFileSync(fifo); }
// The writer opens the FIFO late, so that open() blocks.
openFifo.prepare = () => { makeFifo(); shell(`sleep 0.15; echo text >'${fifo}'`); };
openFifo.cause = 'blocked';
openFifo.reason = 'open.*fifo';

function readFifo() { fs.readFileSync(fifo); }
// The writer opens it at once and writes late.
readFifo.prepare = () => { makeFifo(); shell(`exec 3>'${fifo}'; sleep 0.15; echo text >&3`); };
readFifo.cause = 'blocked';
readFifo.reason = 'read of .*fifo';

let json;
function parseJSON() { JSON.parse(json); }
parseJSON.prepare = () => {
  json ??= JSON.stringify(Array.from({ length: 60_000 }, (_, i) => (
    { id: i, name: `item ${i}`, tags: ['a', 'b'], price: i / 3 })));
};

let heap;
function collectGarbage() { globalThis.gc(); }
// Other threads help, for which the loop's thread waits.
collectGarbage.cause = 'running|blocked';
collectGarbage.prepare = () => { heap = Array.from({ length: 1_500_000 }, (_, i) => ({ i })); };

function allocate() {
  const end = now() + 60_000_000n;
  const kept = [];
  while (now() < end) for (let i = 0; i < 100; i++) kept.push({ i, text: `${i}` });
  return kept.length;
}
// Includes garbage collections, in which other threads help.
allocate.cause = 'running|blocked';

function computeBriefly() {
  const end = now() + 15_000n;
  while (now() < end) {}
}
// V8 does not inline one of so many functions into its caller, which would hide its name.
const shortCallbacks = [
  function shortA() { computeBriefly(); }, function shortB() { computeBriefly(); },
  function shortC() { computeBriefly(); }, function shortD() { computeBriefly(); },
  function shortE() { computeBriefly(); }, function shortF() { computeBriefly(); },
];

function nextTicks(done) {
  const began = start();
  for (let i = 0; i < 5000; i++) process.nextTick(shortCallbacks[i % 6]);
  process.nextTick(() => done(began));
}

// Runs in the next tick.
function immediates(done) {
  let began;
  setImmediate(() => { began = start(); });
  for (let i = 0; i < 5000; i++) setImmediate(shortCallbacks[i % 6]);
  setImmediate(() => done(began));
}
nextTicks.names = immediates.names = 'shortA|shortB|shortC|shortD|shortE|shortF|computeBriefly';
nextTicks.isAsync = immediates.isAsync = true;

let text = 'a'.repeat(20);
function slowRegExp() { return /^(a+)+$/.test(text + 'b'); }
slowRegExp.prepare = () => {
  // The time doubles with each letter.
  for (let began = now(); text.length < 40; began = now()) {
    slowRegExp();
    if (now() - began > 50_000_000n) return;
    text += 'a';
  }
};

function deriveKey() { crypto.pbkdf2Sync('secret', 'salt', 120_000, 32, 'sha512'); }

function statFiles() {
  const end = now() + 60_000_000n;
  while (now() < end) fs.statSync(__filename);
}

function waitForWorker() {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60);
}
waitForWorker.cause = 'blocked';
waitForWorker.reason = 'lock';

// Stops itself. The child continues it.
function stopSelf() { process.kill(process.pid, 'SIGSTOP'); }
stopSelf.prepare = () => shell(`sleep 1; kill -CONT ${process.pid}`);
stopSelf.cause = 'stopped';

function deepCall() {
  const descend = (depth) => (depth > 0 ? descend(depth - 1) : busyLoop());
  return descend(100);
}

function afterAwait(done) {
  (async () => {
    await null;
    const began = start();
    busyLoop();
    done(began);
  })();
}
afterAwait.names = 'busyLoop';
afterAwait.isAsync = true;

const plants = {
  busyLoop, computeTwentyMs, runChild, openFifo, readFifo, parseJSON, collectGarbage, allocate,
  nextTicks, immediates, slowRegExp, deriveKey, statFiles, waitForWorker, stopSelf, deepCall,
  afterAwait,
};

// MARK: Truth

const lines = [];

// The time for which this thread has run, and for which it has waited for a CPU.
function cpuTimes() {
  return fs.readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ', 2).map(Number);
}

// The time for which this program's control group has been out of its quota.
function throttledTime() {
  const text = process.env.QUOTA ? fs.readFileSync(process.env.QUOTA, 'latin1') : '';
  return Number(/^throttled_time (\d+)$/m.exec(text)?.[1] ?? 0);
}

function start() { return { throttled: throttledTime(), cpu: cpuTimes(), time: now() }; }

function note(plant, began) {
  const ended = now();
  const [cpu, queued] = cpuTimes().map((time, i) => time - began.cpu[i]);
  const throttled = throttledTime() - began.throttled;
  const share = throttled / Number(ended - began.time);
  const own = plant.cause ?? 'running';
  const cause = share > 0.5 ? 'throttled' : share > 0.2 ? `throttled|${own}` : own;
  const names = plant.names ?? plant.name;
  const words = [plant.name, began.time, ended, cpu, queued, cause, names, plant.reason ?? '-'];
  lines.push(`hold\t${words.join('\t')}`);
}

function makeFifo() { if (!fs.existsSync(fifo)) execSync(`mkfifo '${fifo}'`); }

function shell(command) { spawn('sh', ['-c', command], { stdio: 'ignore' }); }

// MARK: Run

function runPlants(rounds, names) {
  const queue = names.flatMap((name) => Array(rounds).fill(plants[name]));
  const ticks = setInterval(() => lines.push(`tick\t${now()}`), 5);
  const next = () => {
    const plant = queue.shift();
    if (!plant) {
      clearInterval(ticks);
      fs.rmSync(fifo, { force: true });
      return fs.appendFileSync(process.env.TRUTH, lines.join('\n') + '\n');
    }
    const began = now();
    plant.prepare?.();
    lines.push(`known\t${began}\t${now()}`);
    // The preparation may have held the loop, and is in another tick.
    setTimeout(() => hold(plant), 40);
  };
  const hold = (plant) => {
    const done = (began) => {
      note(plant, began);
      setTimeout(next, 40);
    };
    if (plant.isAsync) return plant(done);
    const began = start();
    plant();
    done(began);
  };
  setTimeout(next, 100);
}

// Optimises the code of a plant by many short calls.
function warmUp() {
  for (let i = 0; i < 4000; i++) shortCallbacks[i % 6]();
}

const words = isMainThread ? process.argv.slice(2) : workerData;
if (words[0] === '--worker') {
  setInterval(() => {}, 10).unref();
  new Worker(__filename, { workerData: words.slice(1) });
} else {
  const began = now();
  warmUp();
  lines.push(`known\t${began}\t${now()}`);
  runPlants(Number(words[0]), words.slice(1));
}
