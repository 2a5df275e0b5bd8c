// usage: TRUTH=FILE node server.js SOCKET
//
// A server without a long callback. Writes when its loop ran a timer to TRUTH when
// SIGTERM ends it. README.md has the format.
'use strict';
const fs = require('node:fs');
const http = require('node:http');

const lines = [];
const items = Array.from({ length: 200 }, (_, id) => ({ id, name: `item ${id}` }));
const server = http.createServer((request, response) => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ path: request.url, items }));
});
setInterval(() => lines.push(`tick\t${process.hrtime.bigint()}`), 5);
process.on('SIGTERM', () => {
  fs.appendFileSync(process.env.TRUTH, lines.join('\n') + '\n');
  process.exit(0);
});
server.listen(process.argv[2]);
