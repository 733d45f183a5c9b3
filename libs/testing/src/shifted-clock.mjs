// Loaded with --import before a service of its own, or a test's program `...-process.ts`: `CLOCK_SHIFTS=relay=120000,billing=-120000` lets that process believe in another time, in ms.
const [, main, support] = /services\/(\w+)\/src\/main\.ts$|\/([\w-]+-process)\.ts$/.exec(process.argv[1] ?? '') ?? [];
const service = main ?? support;
const shift = Number(/^-?\d+/.exec((process.env.CLOCK_SHIFTS ?? '').split(`${service}=`)[1] ?? '')?.[0] ?? 0);

if (service !== undefined && shift !== 0) {
  const realDate = Date;
  const realNow = Date.now.bind(Date);
  const origin = performance.timeOrigin;
  realDate.now = () => realNow() + shift;
  Object.defineProperty(performance, 'timeOrigin', { get: () => origin + shift });
  globalThis.Date = new Proxy(realDate, {
    apply: () => new realDate(realDate.now()).toString(),
    construct: (target, given, newTarget) => Reflect.construct(target, given.length === 0 ? [realDate.now()] : given, newTarget),
  });
}
