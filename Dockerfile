FROM node:24-slim
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev && npm cache clean --force
COPY LICENSE ./
COPY src ./src
# The embedded Postgres and generated keys: only without DATABASE_URL. Mount something that stays.
RUN install --directory --owner=node --mode=0700 .data
VOLUME /app/.data
USER node
EXPOSE 3000
CMD ["node", "src/main.ts"]
