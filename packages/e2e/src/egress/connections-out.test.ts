import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BubblewrapSandboxHost } from '@farhand/hub/sandboxes/bubblewrap-sandbox-host'
import { openEgressProxy } from '@farhand/hub/sandboxes/egress/egress-proxy'
import { RunId } from '@farhand/protocol/wire/ids'
import { onLoopback } from '@farhand/testkit/on-loopback'
import { build } from 'esbuild'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { gitRemote } from './git-remote.ts'

const folder = mkdtempSync(join(tmpdir(), 'farhand-way-out-'))
const host = new BubblewrapSandboxHost({ folder, secret: [] })
const id = `sb_wayout${process.pid}`
const unusable = await host.unusable()
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A runner's part inside, and then a shell beside it, as an agent has one. */
async function insideProgram(options: object, commands: Record<string, string>): Promise<string> {
  const wayOut = fileURLToPath(import.meta.resolve('@farhand/runner/sandbox/network-access'))
  const { outputFiles } = await build({
    stdin: {
      resolveDir: import.meta.dirname,
      contents: `
        import { execFile } from 'node:child_process'
        import { openNetworkAccess } from ${JSON.stringify(wayOut)}
        const way = await openNetworkAccess({ ...${JSON.stringify(options)}, env: { ...process.env, ...${JSON.stringify(options)}.env } })
        const found = {}
        for (const [name, command] of Object.entries(${JSON.stringify(commands)}))
          found[name] = await new Promise((resolve) => execFile('/bin/sh', ['-c', command], { env: way.env }, (error, out, err) => resolve(out + err)))
        await way.close()
        console.log(JSON.stringify(found))`,
    },
    bundle: true,
    platform: 'node',
    format: 'esm',
    write: false,
  })
  return outputFiles[0]!.text
}

describe.skipIf(unusable)('programs in a sandbox', () => {
  it('reach their model, the allowed hosts and the remotes of their run, each in its own way', async () => {
    const model = await onLoopback(createServer((_req, res) => res.end('a model')))
    const site = await onLoopback(createServer((req, res) => res.end(`a site, asked for ${req.url}`)))
    const remote = await gitRemote(join(folder, 'remote'), { name: 'robot', word: 'hunter2-hunter2' })
    const portOf = (url: string) => new URL(url).port
    const remotes = [`http://git.test:${remote.port}/team/`]
    const socketFolder = join(folder, 'sandbox', 'door')
    const gate = await openEgressProxy({
      socketFolder,
      rules: {
        network: { allow: [`site.test:${portOf(site.url)}`] },
        alsoHosts: [`127.0.0.1:${portOf(model.url)}`],
        privateHosts: 'any',
      },
      remotes,
      credentialFor: async () => ({ username: 'robot', password: 'hunter2-hunter2' }),
      hub: (socket) => socket.destroy(),
      refused: () => {},
      lookup: async () => ['127.0.0.1'],
    })
    onTestFinished(async () => {
      await host.remove(id)
      for (const one of [gate, model, site, remote]) await one.close()
    })

    // What looks at no proxy for this machine, and what looks at one for all others.
    const directly = `node -e 'require("node:http").get("${model.url}", (r) => r.pipe(process.stdout))'`
    const byProxy = (url: string) =>
      `node -e 'const p = new URL(process.env.http_proxy); require("node:http").get({ host: p.hostname, port: p.port, path: "${url}" }, (r) => r.pipe(process.stdout))'`
    const program = await insideProgram(
      {
        proxy: '/run/farhand/proxy.sock',
        isAlone: true,
        remotes,
        env: {
          FARHAND_MODEL_URL: model.url,
          OPENAI_BASE_URL: 'http://127.0.0.1:60999',
          OPENAI_HOST: 'http://127.0.0.1:80',
          GIT_CONFIG_NOSYSTEM: '1',
        },
      },
      {
        model: directly,
        refusedModel: directly.replace(portOf(model.url), '60999'),
        site: byProxy(`http://site.test:${portOf(site.url)}/page`),
        other: byProxy('http://other.test/'),
        git: `git ls-remote http://git.test:${remote.port}/team/app.git && echo reached`,
        everything: 'env; cat ~/.gitconfig; git config --list',
      },
    )
    await host.start({
      id,
      run: RunId.parse('run_0123456789abcdef'),
      program: [process.execPath, '--input-type=module', '-'],
      input: () => program,
      readable: [process.execPath],
      socketFolder,
      network: 'sockets-only',
      limits: { memoryMb: 1024, processes: 200, cpus: 2, diskMb: 64 },
    })
    const found = JSON.parse((await host.ended(id)).lastWords)
    expect(found.model).toBe('a model')
    expect(found.refusedModel).toMatch(/ECONNRESET|socket hang up/)
    expect(found.site).toBe('a site, asked for /page')
    expect(found.other).toMatch(/^Farhand: other\.test:80 cannot be reached from this sandbox/)
    expect(found.git).toBe('reached\n')
    expect(found.everything).toContain('HTTPS_PROXY=http://127.0.0.1:')
    expect(JSON.stringify(found)).not.toContain('hunter2')
  })
})
