// Node's own output, before the sockets of a world stand in the place of Node's.
void [process.stdout, process.stderr];
// The scheduler takes Node's own clock when it is loaded.
await import('./scheduler.ts');
const { installSockets } = await import('./socket.ts');
const { installWeb } = await import('./web.ts');
const { installGlobals } = await import('./globals.ts');
const realNow = performance.now.bind(performance);
installSockets();
installWeb();
installGlobals();
const { runCommand } = await import('./command.ts');
await runCommand(realNow);
process.exit();
