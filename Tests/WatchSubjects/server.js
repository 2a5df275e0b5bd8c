// usage: TRUTH=FILE node server.js SOCKET
//
// A server without a long callback, except for the path /busy. Writes when its loop ran
// a timer to TRUTH, if that is set, when SIGTERM ends it. README.md has the format.
'use strict';
const fs = require('node:fs');
const http = require('node:http');

const lines = [];
const items = Array.from({ length: 200 }, (_, id) => ({ id, name: `item ${id}` }));

function compute() {
  const end = performance.now() + 4;
  while (performance.now() < end);
}

const server = http.createServer((request, response) => {
  if (request.url.startsWith('/busy')) compute();
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ path: request.url, items }));
});
const truth = process.env.TRUTH;
if (truth) setInterval(() => lines.push(`tick\t${process.hrtime.bigint()}`), 5);
process.on('SIGTERM', () => {
  if (truth) fs.appendFileSync(truth, lines.join('\n') + '\n');
  process.exit(0);
});
server.listen(process.argv[2]);
