# Built from the lockfile; only the sources are copied from the host (.dockerignore).
FROM node:24.21.0-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# No install scripts: the image has its own Node. Optional packages are what builds the page on each platform.
RUN npm ci --ignore-scripts
COPY tsconfig.json nest-cli.json ./
COPY src ./src
COPY migrations ./migrations
# The documents, which the service serves as pages.
COPY README.md CONTRIBUTING.md SECURITY.md CHANGELOG.md ./
COPY docs ./docs
COPY deploy/README.md ./deploy/
COPY clients/python/README.md ./clients/python/
# For mcs_build_info: `docker build --build-arg COMMIT=$(git rev-parse HEAD) .`
ARG COMMIT=unknown
RUN node node_modules/@nestjs/cli/bin/nest.js build && node src/clients/page/build.mjs && echo "$COMMIT" > dist/commit

FROM node:24.21.0-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --omit=dev --omit=optional

FROM node:24.21.0-bookworm-slim
# The flags of `npm start`, which the image does not use: smaller generations than Node's defaults, for less memory when idle and under load (docs/performance-notes.md).
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 MALLOC_ARENA_MAX=2 NODE_OPTIONS="--max-semi-space-size=16 --max-old-space-size=1024 --preserve-symlinks"
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json LICENSE README.md ./
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/ready`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# node itself and not npm, so that SIGTERM reaches the service and running compares are drained.
CMD ["node", "dist/src/main.js"]
