# Built from the lockfile; only the sources are copied from the host (.dockerignore).
FROM node:24.21.0-bookworm-slim@sha256:2fe369e969550cde8e867afc3fe370b260140cab4a23d467074295b42163d553 AS build
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

FROM node:24.21.0-bookworm-slim@sha256:2fe369e969550cde8e867afc3fe370b260140cab4a23d467074295b42163d553 AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --omit=dev --omit=optional
# Types, maps and texts, which Node never loads, are more than half of the bytes. Licenses stay, and readmes, which hold some of them.
RUN find node_modules -type f \( -name '*.map' -o -name '*.ts' -o -name '*.[cm]ts' -o -name '*.tiktoken' -o -name '*.md' ! -iname '*readme*' ! -iname '*licen[cs]e*' ! -iname '*notice*' \) -delete

# The libraries that Node needs, certificates and time zones: no shell, no npm, no package manager.
FROM gcr.io/distroless/cc-debian12:nonroot@sha256:9dac0a79194e45a7da0158a9c6da57b217585af0786db3845d1f0ec1a0dd182f
ARG COMMIT=unknown
ARG SOURCE=unknown
LABEL org.opencontainers.image.version="1.0.0" org.opencontainers.image.revision="$COMMIT" org.opencontainers.image.source="$SOURCE" org.opencontainers.image.licenses="MIT"
# The flags of `npm start`, which the image does not use: smaller generations than Node's defaults, for less memory when idle and under load (docs/performance-notes.md).
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 MALLOC_ARENA_MAX=2 NODE_OPTIONS="--max-semi-space-size=16 --max-old-space-size=1024 --preserve-symlinks"
COPY --from=build /usr/local/bin/node /usr/local/bin/
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json LICENSE THIRD_PARTY_LICENSES.md README.md ./
# By number, so that Kubernetes can tell that it is not root.
USER 1000:1000
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/ready`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# node itself and not npm, so that SIGTERM reaches the service and running compares are drained.
CMD ["node", "dist/src/main.js"]
