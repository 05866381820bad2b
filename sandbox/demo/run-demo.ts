import type { RequestListener } from 'node:http';
import { startWorld, type WorldOptions } from './practice-world.ts';
import type { Progress } from './progress.ts';

export type Demo = {
  /** Answers the page's requests. */
  readonly listener: RequestListener;
  /** Ends everything that was started and leaves nothing behind. */
  readonly end: () => Promise<void>;
};

export type DemoOptions = Pick<WorldOptions, 'temporary' | 'pageUrl' | 'onLastWords'> & {
  /** Called for every step of the start, and for a failure. */
  readonly onProgress: (progress: Progress) => void;
};

/** Starts a practice world and serves its page. Resolves as soon as there is something to look at; the bot is still starting then. */
export async function runDemo({ temporary, pageUrl, onProgress, onLastWords }: DemoOptions): Promise<Demo> {
  const listeners = new Set<() => void>();
  const changed = (): void => {
    for (const listener of listeners) listener();
  };
  const begin = () =>
    startWorld({
      temporary,
      pageUrl,
      onLastWords,
      changed,
      onProgress(progress) {
        onProgress(progress);
        changed();
      },
    });
  let world = await begin();
  // Loaded while the bot is starting.
  const [{ default: express }, { makeScreen }, { pageRoutes }] = await Promise.all([
    import('express'),
    import('./page/screen.ts'),
    import('./page-routes.ts'),
  ]);
  let screen = makeScreen();
  /** Worlds that are shutting down. */
  const endings: Promise<void>[] = [];
  let resetting: Promise<void> | undefined;

  async function reset(): Promise<void> {
    const next = await begin();
    endings.push(world.end());
    world = next;
    screen = makeScreen();
    changed();
  }

  const app = express();
  app.disable('x-powered-by');
  app.use(
    pageRoutes({
      screen: async (looking) => screen(await world.sceneFor(looking), looking),
      onChange(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      actInSlack: (act, body) => world.actInSlack(act, body),
      actAtService: (body) => world.actAtService(body),
      actInDemo: (act, body) => world.actInDemo(act, body),
      async reset() {
        resetting ??= reset().finally(() => {
          resetting = undefined;
        });
        await resetting;
      },
    }),
  );
  return {
    listener: app,
    async end() {
      await resetting;
      await Promise.all([...endings, world.end()]);
    },
  };
}
