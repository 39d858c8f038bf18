import { HubUnderTest, notification } from '@farhand/hub/http/hub-under-test'
import type { DelegatedTask } from '@farhand/protocol/delegated/delegated-tasks'
import { paths } from '@farhand/protocol/wire/routes'
import { describe, expect, it } from 'vitest'
import { runHere, testContext } from '../context/command-context-under-test.ts'
import { temporaryFolder } from '../farhand-under-test.ts'
import { showDelegatedCard } from './attach/delegated-card.ts'

async function stage() {
  const hub = await HubUnderTest.start()
  const access = ['--hub', hub.hub.url, '--token', hub.token, '--state', await temporaryFolder()]
  const delegate = async (task: string) => {
    const body = { task, sandbox: 'none' }
    const made = (await hub.ask('POST', paths.delegatedTasks(), { body })).body as unknown as DelegatedTask
    const { token } = await hub.runner(made.run)
    return { ...made, say: (...said: unknown[]) => hub.post(made.run, said, { token }) }
  }
  return { hub, delegate, tasks: (...words: string[]) => runHere(['tasks', ...words, ...access]) }
}

const begins = notification('_posthog/ack', { for: '_posthog/user_message', id: 2 })
const ends = notification('_posthog/turn_complete', { messageId: 2, stopReason: 'end_turn' })
const plan = notification('session/update', {
  update: {
    sessionUpdate: 'plan',
    entries: [
      { content: 'Read it', status: 'completed' },
      { content: 'Write it', status: 'in_progress' },
    ],
  },
})
const asks = notification('_posthog/agent_question', {
  questionId: 'q1',
  question: 'Which one?',
  options: ['red', 'green'],
})

describe('farhand tasks', { timeout: 120_000 }, () => {
  it('lists tasks, newest first, and says how to begin when there is none', async () => {
    const { delegate, tasks } = await stage()
    expect((await tasks()).out).toContain('No task is delegated. Delegate one: npx farhand tasks start')
    await delegate('The first')
    const second = await delegate('The second')
    const { out } = await tasks('ls')
    expect(out).toMatch(/^acp_\w{8} {2}submitted .* The second\nacp_\w{8} {2}submitted .* The first\n$/)
    const lines = (await tasks('--json')).out.trim().split('\n')
    expect(JSON.parse(lines[0]!)).toMatchObject({ task_id: second.task_id, task: 'The second' })
    expect((await tasks('ls', '--status', 'failed')).out).toContain('No task is delegated.')
  })

  it('shows the card of a task by the beginning of its id: steps, how much is done, and the open question', async () => {
    const { delegate, tasks } = await stage()
    const task = await delegate('Write a report')
    await task.say(begins, plan, asks)
    const { out } = await tasks('show', task.task_id.slice(4, 14))
    expect(out).toContain('Delegated: Write a report\n  ✓ Read it\n  ▸ Write it (running)\n')
    expect(out).toMatch(/█{12}░{12} 50 % {2}working · .*, about .* left\n/)
    expect(out).toContain(
      `? Which one? (red / green)\n\nAnswer: npx farhand answer ${task.session_id} <answer>`,
    )
    await expect(tasks('show', 'nosuchtask')).rejects.toThrow('No delegated task begins with nosuchtask.')
    await delegate('Another')
    await expect(tasks('show', 'acp_')).rejects.toThrow('2 tasks begin with acp_.')
  })

  it('follows a task to its end, and fails with one that is not completed', async () => {
    const { delegate, tasks } = await stage()
    const done = await delegate('Say it')
    await done.say(begins, notification('agent_message_chunk', { text: 'All is done.' }), ends)
    const { out } = await tasks('show', done.task_id, '--follow')
    expect(out).toBe('· submitted\n· working\nAll is done.\n· completed\n')
    expect((await tasks('show', done.task_id)).out).toContain('\n\n  All is done.\n')
    const failed = await delegate('Fail')
    await failed.say(begins, notification('_posthog/turn_complete', { messageId: 2, stopReason: 'refusal' }))
    await expect(tasks('show', failed.task_id, '--follow')).rejects.toThrow(
      'The task is failed: The agent refused',
    )
  })

  it('shows a reader who is far behind a short card in place of every word', async () => {
    const { delegate, tasks } = await stage()
    const task = await delegate('Talk')
    await task.say(
      begins,
      plan,
      ...Array.from({ length: 998 }, () => notification('agent_message_chunk', { text: 'x' })),
    )
    await task.say(notification('agent_message_chunk', { text: 'y' }), ends)
    const { out } = await tasks('show', task.task_id, '--follow')
    expect(out).toMatch(/^… 1,00\d events in short:\nDelegated: Talk\n/)
    expect(out.length).toBeLessThan(3000)
  })

  it('pauses, resumes and cancels, and says what the hub refuses', async () => {
    const { delegate, tasks } = await stage()
    const task = await delegate('Work')
    await expect(tasks('pause', task.task_id)).rejects.toThrow('this task is submitted and cannot be paused')
    await task.say(begins)
    expect((await tasks('pause', task.task_id)).notes).toBe('The task is paused.\n')
    expect((await tasks('resume', task.task_id)).notes).toBe('The task is working.\n')
    const { out } = await tasks('cancel', task.task_id, '--json')
    expect(JSON.parse(out)).toMatchObject({ status: 'canceled' })
  })

  it('says why a hub takes no task', async () => {
    const { tasks } = await stage()
    await expect(tasks('start', 'do it')).rejects.toThrow('this hub starts no sandboxes')
    await expect(tasks('start', ' ')).rejects.toThrow('The task is empty.')
  })

  it('joining the run of a task shows its card, and joining another run does not', async () => {
    const { hub, delegate } = await stage()
    const task = await delegate('Write a report')
    await task.say(begins, plan)
    const access = { url: hub.hub.url, token: hub.token }
    const context = testContext()
    await showDelegatedCard({ hub: access, at: task.run }, {}, context)
    expect(context.ran().notes).toContain('Delegated: Write a report\n  ✓ Read it\n')
    const plain = testContext()
    await showDelegatedCard({ hub: access, at: await hub.run() }, {}, plain)
    expect(plain.ran().notes).toBe('')
  })
})
