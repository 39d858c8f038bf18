import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { follow } from '@farhand/client/follow/follow'
import { readLog } from '@farhand/client/follow/read-log'
import {
  addressOf,
  closeRun,
  createProject,
  createRun,
  createTask,
} from '@farhand/client/resources/resources'
import { putSecret } from '@farhand/client/resources/secrets'
import { BubblewrapSandboxHost } from '@farhand/hub/sandboxes/bubblewrap-sandbox-host'
import { HubProcess } from '@farhand/testkit/hub-process'
import { onLoopback } from '@farhand/testkit/on-loopback'
import { afterAll, expect, it, onTestFinished } from 'vitest'
import { gitRemote } from '../egress/git-remote.ts'

const git = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'farhand-network-'))
const unusable = await new BubblewrapSandboxHost({ folder, secret: [] }).unusable()
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it.skipIf(unusable)(
  'W41 W44 a run with a restricted network begins from a private repository, pushes to it, and reports refused hosts, also at the next hub',
  async () => {
    const [word, user] = ['hunter2-hunter2', 'robot']
    const remote = await gitRemote(join(folder, 'remote'), { name: user, word })
    const site = await onLoopback(createServer((_req, res) => res.end('a page')))
    const hub = await HubProcess.start()
    onTestFinished(async () => {
      await hub.kill()
      for (const one of [remote, site]) await one.close()
      rmSync(hub.data, { recursive: true, force: true })
    })
    const url = `http://127.0.0.1:${remote.port}/team/app.git`
    const first = join(folder, 'first')
    const identity = ['-c', 'user.name=A', '-c', 'user.email=a@example.org']
    await git('git', ['init', '--quiet', '--initial-branch=main', first])
    writeFileSync(join(first, 'README'), 'of the repository')
    await git('git', ['-C', first, 'add', '.'])
    await git('git', ['-C', first, ...identity, 'commit', '--quiet', '-m', 'first'])
    await git('git', ['-C', first, 'push', '--quiet', url.replace('//', `//${user}:${word}@`), 'main'])

    const owner = { url: hub.url, token: hub.token }
    const { id: project } = await createProject(owner, { name: 'p' })
    const { id: task } = await createTask(owner, project, { title: 't' })
    await putSecret(owner, project, 'GIT_APP', { kind: 'git', value: word, username: user, remote: url })
    const get = (to: string) =>
      `${process.execPath} -e "const p = new URL(process.env.http_proxy); require('node:http').get({ host: p.hostname, port: p.port, path: '${to}' }, (r) => r.pipe(process.stdout))"`
    const committed = `git ${identity.join(' ')} commit --quiet --allow-empty -m second && git push origin HEAD:pushed`

    const commands = ['cat README', get(`${site.url}/`), get('http://127.0.0.1:1/'), committed]
    const asked = {
      agent: 'rehearsal',
      sandbox: 'bubblewrap',
      prompt: ['think for 2 seconds', ...commands.map((command) => `run \`${command}\``)].join('. '),
      terms: { network: { allow: [new URL(site.url).host] }, clone: { url } },
    }
    const at = addressOf(await createRun(owner, project, task, asked))
    const until = async (method: string) => {
      for await (const { notification } of follow(owner, at, { envelope: 'stored' }))
        if (notification.method === method) return
    }
    await until('_posthog/agent_start')
    await hub.restart('SIGKILL')
    await until('_posthog/turn_complete')
    await closeRun(owner, at)
    const log: string[] = []
    for await (const event of readLog(owner, at)) log.push(JSON.stringify(event))
    const all = log.join('\n')
    expect(all).toContain('of the repository')
    expect(all).toContain('a page')
    expect(all).toContain('cannot be reached from this sandbox')
    expect(all).toContain('"refused":{"host":"127.0.0.1","port":1}')
    expect((await git('git', ['-C', join(folder, 'remote/team/app.git'), 'branch'])).stdout).toContain(
      'pushed',
    )
    expect(all).not.toContain(word)
    expect(log.filter((line) => line.includes('_posthog/session_start'))).toHaveLength(1)
  },
  180_000,
)
