# An image of the server: docker build --tag understudy .
#
# The folder /data is all that it writes to. It runs as any user who may write there.

FROM swift:6.3-bookworm AS build
RUN apt-get update -q \
 && apt-get install -q --yes --no-install-recommends pkg-config libmicrohttpd-dev libgnutls28-dev libsqlite3-dev \
    libsodium-dev libqrencode-dev libutf8proc-dev libcurl4-gnutls-dev \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY Package.swift schema.sql ./
COPY script/build script/
COPY seed seed
COPY Sources Sources
# The tests are no part of an image, so that a change in them builds nothing anew.
ARG COMMIT
RUN export UNDERSTUDY_IMAGE_BUILD=1 UNDERSTUDY_COMMIT=$(echo "$COMMIT" | cut -c 1-7) \
 && script/build > /program && strip --strip-all -o /understudy "$(cat /program)"

FROM debian:bookworm-slim
# A new volume gets the mode of /data, so that whoever the server runs as can begin in it. What the server writes
# there is for its own user only.
RUN apt-get update -q \
 && apt-get install -q --yes --no-install-recommends libmicrohttpd12 libgnutls30 libsqlite3-0 libsodium23 \
    libqrencode4 libutf8proc2 libcurl3-gnutls ca-certificates \
 && rm -rf /var/lib/apt/lists/* /var/cache/* /var/log/* \
 && groupadd --gid 10106 understudy \
 && useradd --uid 10106 --gid 10106 --no-log-init --no-create-home --home-dir /data --shell /usr/sbin/nologin understudy \
 && install --directory --mode 1777 --owner 10106 --group 10106 /data
COPY --from=build /understudy /usr/local/bin/
# A library that is missing ends the build, and not the first start.
RUN understudy --version
USER 10106:10106
# HTTPS is served where it is asked for: --publish 443:8443 --env UNDERSTUDY_HTTPS=8443.
ENV UNDERSTUDY_DATA=/data UNDERSTUDY_PUBLISHED=443:8443
EXPOSE 8080 8443
VOLUME /data
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 CMD ["understudy", "health"]
ENTRYPOINT ["understudy"]
CMD ["serve"]
ARG VERSION=0.1.0
ARG COMMIT
LABEL org.opencontainers.image.title="Understudy" \
      org.opencontainers.image.description="A server that stands in for cmsc106.net" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$COMMIT"
