import { createServer } from 'vite';
import { CONFIG } from './config.ts';

/*
 * Serves the console with hot reload; everything but its files goes to a running service, which SERVICE_URL names
 * (http://127.0.0.1:3000 by default).
 */

const service = process.env['SERVICE_URL'] ?? 'http://127.0.0.1:3000';
const server = await createServer({
  ...CONFIG,
  base: '/console/',
  html: {},
  logLevel: 'info',
  server: { proxy: { '^/(?!console(/|$))': { target: service } } },
});
await server.listen();
server.printUrls();
console.log(`  The service is ${service}`);
