# syntax=docker/dockerfile:1
FROM node:24-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# `--build-arg OMIT=optional` omits the embedded Postgres: the image is 60 MB smaller, and DATABASE_URL is required.
ARG OMIT=dev
RUN npm ci --omit=dev --omit=${OMIT}

FROM node:24-slim
LABEL org.opencontainers.image.title="Plancast" \
      org.opencontainers.image.description="A Slack bot that notifies a team of changes to its plans" \
      org.opencontainers.image.licenses="MIT"
WORKDIR /app
# npm is not needed at run time and has dependencies of its own.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /opt/yarn-* /usr/local/bin/yarn*
COPY package.json LICENSE ./
COPY --from=dependencies /app/node_modules ./node_modules
COPY src ./src
# For the embedded Postgres and generated keys, used only without DATABASE_URL. Mount persistent storage.
RUN install --directory --owner=node --mode=0700 .data .compiled
VOLUME /app/.data
USER node
# Compiles the code once, which halves the processor time of each start. Node's compile cache depends on the user and the flags, so both match CMD.
ENV NODE_COMPILE_CACHE=/app/.compiled
RUN ["node", "--max-semi-space-size=4", "--no-parallel-scavenge", "--no-allocation-site-pretenuring", "--heap-growing-percent=70", "--import=./src/compile-cache.js", "--input-type=module", "--eval", "import { globSync } from 'node:fs'; for (const file of globSync('/app/src/**/*.ts', { exclude: ['/app/src/main.ts', '/app/src/commands/**'] })) await import(file);"]
# The entry itself: without settings it ends with 78 once it is loaded.
RUN node --max-semi-space-size=4 --no-parallel-scavenge --no-allocation-site-pretenuring --heap-growing-percent=70 --import=./src/compile-cache.js src/main.ts || [ $? = 78 ]
EXPOSE 3000
# Uses the configured PORT, on HOST or loopback.
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s \
  CMD ["node", "-e", "const host = process.env.HOST || '127.0.0.1'; fetch(`http://${host.includes(':') ? `[${host}]` : host}:${process.env.PORT || 3000}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Less memory for slightly more processor time: a small young generation, and a heap that grows by 70 % between collections.
CMD ["node", "--max-semi-space-size=4", "--no-parallel-scavenge", "--no-allocation-site-pretenuring", "--heap-growing-percent=70", "--import=./src/compile-cache.js", "src/main.ts"]
