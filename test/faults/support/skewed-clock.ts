/**
 * Loaded into a bot before its own program (`node --import`): shifts the wall clock by `CLOCK_SKEW_MS`. Monotonic clocks are not affected.
 */
const skew = Number(process.env.CLOCK_SKEW_MS ?? 0);
const RealDate = Date;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, self) =>
    Reflect.construct(target, args.length === 0 ? [RealDate.now() + skew] : args, self),
  apply: () => new RealDate(RealDate.now() + skew).toString(),
  get: (target, name) => (name === 'now' ? () => RealDate.now() + skew : Reflect.get(target, name, target)),
});
