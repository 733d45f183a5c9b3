// Loaded into what the bootstrap runs. Whoever runs a program and is killed cannot tell it to end; it would go on installing, beside the next start that does the same.
const parent = process.ppid;
const pollMs = 100;
setInterval(() => process.ppid !== parent && process.exit(1), pollMs).unref();
