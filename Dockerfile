# The hub with its web app, in one container:
#
#   docker build -t farhand . && docker run --rm -p 127.0.0.1:7717:7717 -v farhand:/data farhand
#
# It prints a link that opens it in a browser. Logs, files and accounts are in the volume /data. Users and backups are described in
# docs/guide/teams-and-operation.md, and so is what the container has to be allowed for sandboxes that isolate.
FROM node:22-bookworm-slim AS packed
WORKDIR /farhand
COPY . .
RUN npm run pack -- --out /packed

FROM node:22-bookworm-slim
RUN apt-get update \
 && apt-get install --yes --no-install-recommends bubblewrap ca-certificates git tini \
 && rm -rf /var/lib/apt/lists/*
# The first name matches the command alone: the client's archive is farhand-client-….
COPY --from=packed /packed/farhand-[0-9]*.tgz /tmp/
RUN npm install --global --no-audit --no-fund /tmp/farhand-*.tgz && rm /tmp/farhand-*.tgz \
 && mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 7717
ENV FARHAND_HOST=0.0.0.0 FARHAND_DATA=/data
HEALTHCHECK CMD ["node", "-e", "fetch('http://127.0.0.1:7717/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["tini", "--", "farhand", "hub"]
