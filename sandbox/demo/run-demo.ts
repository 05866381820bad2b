import type { RequestListener } from 'node:http';
import type { makeScreen } from './page/screen.ts';
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
  let page: Promise<RequestListener> | undefined;
  /** The page's code is loaded for the first visitor or when the bot is ready, whichever is first: until then it would delay the bot. */
  const openPage = (): Promise<RequestListener> => (page ??= loadPage());
  const begin = () =>
    startWorld({
      temporary,
      pageUrl,
      onLastWords,
      changed,
      onProgress(progress) {
        onProgress(progress);
        changed();
        if (progress.isReady) void openPage();
      },
    });
  let world = await begin();
  let screen: ReturnType<typeof makeScreen> | undefined;
  /** Worlds that are shutting down. */
  const endings: Promise<void>[] = [];
  let resetting: Promise<void> | undefined;

  async function reset(): Promise<void> {
    const next = await begin();
    endings.push(world.end());
    world = next;
    screen = undefined;
    changed();
  }

  async function loadPage(): Promise<RequestListener> {
    const [{ default: express }, { makeScreen }, { pageRoutes }] = await Promise.all([
      import('express'),
      import('./page/screen.ts'),
      import('./page-routes.ts'),
    ]);
    const app = express();
    app.disable('x-powered-by');
    app.use(
      pageRoutes({
        async screen(looking) {
          screen ??= makeScreen();
          return screen(await world.sceneFor(looking), looking);
        },
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
    return app;
  }

  return {
    listener: (request, response) => void openPage().then((page) => page(request, response)),
    async end() {
      await resetting;
      await Promise.all([...endings, world.end()]);
    },
  };
}
