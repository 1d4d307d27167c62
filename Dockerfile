# The service, and the tests that run against a real EventStoreDB (target `contract`).
FROM node:20-bookworm-slim AS installed
WORKDIR /app
# better-sqlite3 compiles itself where it has no binary.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends g++ make python3 \
  && rm -rf /var/lib/apt/lists/*
COPY package.json package-lock.json ./
RUN npm ci
COPY . .

FROM installed AS contract
ENTRYPOINT ["npm", "run", "--silent", "test:unit", "--"]

FROM installed AS built
RUN npm run build && npm prune --omit=dev

FROM node:20-bookworm-slim AS service
WORKDIR /app
ENV NODE_ENV=production
COPY --from=built /app/package.json ./
COPY --from=built /app/node_modules ./node_modules
COPY --from=built /app/dist ./dist
COPY --from=built /app/schemas ./schemas
COPY --from=built /app/assets ./assets
RUN mkdir /app/data && chown node:node /app/data
USER node
EXPOSE 8080
CMD ["node", "--min-semi-space-size=64", "--max-semi-space-size=64", "dist/main.js"]
