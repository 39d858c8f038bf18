import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { answers, type Children, freePort } from '../children.ts'
import type { PostTarget } from '../load/post.ts'
import type { ReadTarget } from '../load/readers.ts'

export type Nginx = {
  port: number
  /** Files put here are served below /files/. */
  files: string
  publish(channel: string): PostTarget
  subscribe(channel: string): ReadTarget
}

/** nginx with one worker: serves files, and fans messages out through nchan. */
export async function startNginx(children: Children, folder: string): Promise<Nginx> {
  const port = await freePort()
  const home = join(folder, 'nginx')
  const files = join(home, 'files')
  mkdirSync(files, { recursive: true })
  const config = join(home, 'nginx.conf')
  writeFileSync(config, configuration(home, files, port))
  await answers(children.start('nginx', ['-p', home, '-c', config, '-e', join(home, 'error.log')]), port)
  return {
    port,
    files,
    publish: (channel) => ({
      port,
      path: `/publish/${channel}`,
      headers: { 'Content-Type': 'application/json' },
    }),
    subscribe: (channel) => ({
      port,
      path: `/subscribe/${channel}`,
      headers: { Accept: 'text/event-stream' },
      ready: ': hi',
    }),
  }
}

// nchan keeps what its slowest subscriber still needs only as far as the buffer reaches, so the buffer is generous.
function configuration(home: string, files: string, port: number): string {
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  return `
${user}
daemon off;
worker_processes 1;
pid ${home}/nginx.pid;
load_module /usr/lib/nginx/modules/ngx_nchan_module.so;
events { worker_connections 4096; }
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 10000000;
  client_body_temp_path ${home}/body;
  proxy_temp_path ${home}/proxy;
  fastcgi_temp_path ${home}/fastcgi;
  uwsgi_temp_path ${home}/uwsgi;
  scgi_temp_path ${home}/scgi;
  nchan_shared_memory_size 512M;
  server {
    listen 127.0.0.1:${port};
    location /files/ { alias ${files}/; }
    location ~ ^/publish/(\\w+)$ {
      nchan_publisher http;
      nchan_channel_id $1;
      nchan_message_buffer_length 100000;
      nchan_message_timeout 2m;
    }
    location ~ ^/subscribe/(\\w+)$ {
      nchan_subscriber eventsource;
      nchan_channel_id $1;
      nchan_subscriber_first_message newest;
    }
  }
}
`
}
