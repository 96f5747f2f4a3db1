# The Temporal SDK's native part needs glibc, so no Alpine.
FROM node:24.21.0-bookworm-slim AS console
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY sdk/package.json sdk/
COPY cli/package.json cli/
# What builds the console needs no install script.
RUN npm ci --ignore-scripts
COPY . .
RUN node bin/build-console.ts

FROM node:24.21.0-bookworm-slim

WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The embedded servers of `npm start` are development dependencies, and the clients of integrators are workspaces: they are not in the image.
RUN npm ci --omit=dev --workspaces=false && npm cache clean --force
COPY . .
COPY --from=console /app/console/dist console/dist

ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/var/lib/everpost
# The journals of what is submitted: a volume, so that they outlive the container.
RUN mkdir -p /var/lib/everpost && chown node:node /var/lib/everpost
VOLUME /var/lib/everpost
USER node
EXPOSE 3000
CMD ["node", "bin/api.ts"]
