/**
 * Loaded into a bot before its own program (`node --import`): the machine's wall clock then is off by `CLOCK_SKEW_MS`. Clocks that
 * only measure stay as they are.
 */
const skew = Number(process.env.CLOCK_SKEW_MS ?? 0);
const RealDate = Date;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, self) =>
    Reflect.construct(target, args.length === 0 ? [RealDate.now() + skew] : args, self),
  apply: () => new RealDate(RealDate.now() + skew).toString(),
  get: (target, name) => (name === 'now' ? () => RealDate.now() + skew : Reflect.get(target, name, target)),
});
