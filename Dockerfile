# Server and worker of Tradewind in one image. The page's settings are built in: see docs/operations.md.
ARG NODE_VERSION=20

FROM node:${NODE_VERSION}-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev

# The settings hold secrets of the server too: they are there while the page is built, and in no layer.
FROM packages AS build
COPY . .
# A changed secret alone takes the page from the cache: a changed argument builds it again.
ARG PAGE_SETTINGS
RUN --mount=type=secret,id=settings,target=/run/settings \
    : "${PAGE_SETTINGS}" \
    && if [ -f /run/settings ]; then grep '^VITE_' /run/settings > .env.local || true; fi \
    && npm run build && rm -f .env.local

FROM node:${NODE_VERSION}-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json tsconfig.base.json tsconfig.json tsconfig.server.json ./
COPY contract contract
COPY engine engine
COPY scripts scripts
COPY server server
COPY signer signer
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8787
CMD ["node", "--import", "tsx", "server/main.ts"]
