import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
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
import { HubProcess } from '@farhand/testkit/hub-process'
import { expect, it, onTestFinished, vi } from 'vitest'

const value = 'correct/horse battery+staple'

function allIn(folder: string): string {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
  const files = names.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name))
  return files.map((file) => readFileSync(file, 'latin1')).join('\n')
}

it('W41 W42 a secret reaches setup and agent, and is neither in the log nor anywhere in the data, nor in what the hub writes, nor an argument', async () => {
  const hub = await HubProcess.start({ settings: ['--log-level', 'debug'] })
  onTestFinished(async () => {
    await hub.kill()
    rmSync(hub.data, { recursive: true, force: true })
  })
  const user = { url: hub.url, token: hub.token }
  const { id: project } = await createProject(user, { name: 'secrets' })
  const { id: task } = await createTask(user, project, { title: 'secrets' })
  await putSecret(user, project, 'DEPLOY_KEY', { value })
  const encoded = 'printf %s "$DEPLOY_KEY" | base64; printf %s "$DEPLOY_KEY" | od -An -tx1 | tr -d " \\n"'
  const told = `printf '%s|' "\${#DEPLOY_KEY}" "$DEPLOY_KEY"; ${encoded}; cat /proc/[0-9]*/cmdline | tr '\\0' ' '`
  const asked = {
    agent: 'rehearsal',
    prompt: `run \`${told}\`. write never.txt with nothing. delete never.txt`,
    terms: { secrets: ['DEPLOY_KEY'], setup: 'echo "setup has $DEPLOY_KEY"' },
  }
  const at = addressOf(await createRun(user, project, task, asked))
  for await (const { notification } of follow(user, at, { envelope: 'stored' }))
    if (notification.method === '_posthog/turn_complete') break
  await closeRun(user, at)
  for await (const _ of follow(user, at));

  const lines: string[] = []
  for await (const event of readLog(user, at)) lines.push(JSON.stringify(event))
  const log = lines.join('\n')
  expect(log).toContain('setup has [secret DEPLOY_KEY]')
  expect(log).toContain(`${value.length}|[secret DEPLOY_KEY]|[secret DEPLOY_KEY]`)
  // Its sandbox still ends, and would take away what is about to be read.
  await vi.waitFor(() => expect(readdirSync(join(hub.data, 'sandboxes'))).toEqual([]), 50_000)
  await hub.kill('SIGTERM')
  const seen = [log, hub.complaints, allIn(hub.data)].join('\n')
  const forms = [value, Buffer.from(value).toString('base64'), Buffer.from(value).toString('hex')]
  for (const form of forms) expect(seen.includes(form), form).toBe(false)
}, 180_000)
