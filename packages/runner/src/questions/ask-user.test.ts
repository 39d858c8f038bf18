import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Notification, StoredEvent } from '@farhand/protocol/wire/event'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Orders } from '../orders/orders.ts'
import { askUser } from './ask-user.ts'
import { PendingQuestions } from './pending-questions.ts'

/** A workspace and what is beside it, with links in it. */
function workspace(): string {
  const above = mkdtempSync(join(tmpdir(), 'pass-on-'))
  onTestFinished(() => rmSync(above, { recursive: true, force: true }))
  const root = join(above, 'work')
  for (const folder of ['work/src/deep', 'work/.git', 'beside'])
    mkdirSync(join(above, folder), { recursive: true })
  writeFileSync(join(root, 'src/a.ts'), '')
  const links = {
    out: '../beside',
    nowhere: '../beside/none',
    round: 'round',
    hooks: '.git',
    in: 'src',
    deep: 'src/deep',
  }
  for (const [name, to] of Object.entries(links)) symlinkSync(to, join(root, name))
  symlinkSync('work', join(above, 'alias'))
  return root
}

/** What a run in background mode is told, under this policy. */
function under(policy: unknown): Orders {
  const orders = new Orders()
  const params = { mode: 'background', policy }
  const notification = { jsonrpc: '2.0', method: '_posthog/mode_change', params }
  const by = { kind: 'web', id: 'usr_someone0' }
  const timestamp = new Date(0).toISOString()
  orders.take(StoredEvent.parse({ id: 1, type: 'notification', timestamp, notification, by }))
  return orders
}

/** Whether the policy lets this file be edited without asking the user. */
async function isAllowed(path: string, root: string): Promise<boolean> {
  let reply: unknown
  const questions = new PendingQuestions({
    orders: under('allow-edits'),
    mark: async () => {},
  })
  const toolCall = { toolCallId: 't', kind: 'edit', locations: [{ path }] }
  const options = [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }]
  const asked = askUser(
    {
      method: 'session/request_permission',
      params: { sessionId: 's', toolCall, options },
      reply: (result) => {
        reply = result
      },
      withdrawn: new AbortController().signal,
    },
    questions,
    root,
  )
  questions.endAll('cancelled')
  await asked
  return JSON.stringify(reply).includes('selected')
}

describe('a question with a time limit', () => {
  it('W36 says so itself, whether its asker set the time or the policy did', async () => {
    const timeoutIn = async (_meta: object, policy: unknown) => {
      const said: Notification[] = []
      const questions = new PendingQuestions({
        orders: under(policy),
        mark: async (event) => void said.push(event),
      })
      const toolCall = { toolCallId: 't', kind: 'execute' }
      const options = [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }]
      const asked = askUser(
        {
          method: 'session/request_permission',
          params: { sessionId: 's', toolCall, options, _meta },
          reply: () => {},
          withdrawn: new AbortController().signal,
        },
        questions,
        '/work',
      )
      questions.endAll('cancelled')
      await asked
      return said[0]?.params?.timeout
    }
    expect(await timeoutIn({}, { timeoutSeconds: 60 })).toBe(60)
    expect(await timeoutIn({ timeoutSeconds: 5 }, { timeoutSeconds: 60 })).toBe(5)
    expect(await timeoutIn({}, { base: 'allow-all' })).toBeUndefined()
    expect(await timeoutIn({}, 'ask')).toBeUndefined()
  })
})

describe('allow-edits', () => {
  it('W36 lets a file be edited that is in the workspace, even if its path goes through a link', async () => {
    const root = workspace()
    for (const path of ['src/a.ts', 'in/a.ts', 'new/b.ts', `${root}/in/new/c.ts`])
      expect(await isAllowed(path, root), path).toBe(true)
    expect(await isAllowed(join(root, '../alias/src/a.ts'), join(root, '../alias'))).toBe(true)
  })

  it('W36 asks about a path that only seems to be in the workspace: a link leads out, into git, or nowhere', async () => {
    const root = workspace()
    for (const path of ['out/x', 'out', 'out/../x', 'nowhere', 'nowhere/x', 'round', 'hooks/x'])
      expect(await isAllowed(path, root), path).toBe(false)
  })

  it('W36 asks about a path that is one place to the disk and another to an agent that tidies it up first', async () => {
    const root = workspace()
    for (const path of ['nowhere/', 'nowhere//', 'nowhere/./', 'deep/../nowhere', `${root}/deep/../out/x`])
      expect(await isAllowed(path, root), path).toBe(false)
    for (const path of ['new/', 'src/../src/b.ts']) expect(await isAllowed(path, root), path).toBe(true)
  })
})
