// C9. Tests the example. ADDONS is the folder of its addon.
'use strict';
const assert = require('node:assert');
const { test } = require('node:test');

const stats = require(`${process.env.ADDONS}/request-stats.node`);

test('the listener is called once in a tick, however many requests were recorded', async () => {
  const calls = [];
  stats.listen((routes) => calls.push(routes));
  for (let i = 1; i <= 100; i++) stats.record('/search', i);
  stats.record('/', 1);
  const summary = await stats.summary('/search');
  assert.deepStrictEqual(calls, [['/', '/search']]);
  assert.deepStrictEqual(summary, { count: 100, p50: 50, p99: 99, max: 100 });
});

test('the summary of a route without requests rejects with the reason', async () => {
  await assert.rejects(stats.summary('/none'), { message: 'no request of /none was recorded' });
  assert.throws(() => stats.record(1, 2), TypeError);
});
