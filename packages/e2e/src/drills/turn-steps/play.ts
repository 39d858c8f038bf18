import type { RunView } from '@farhand/protocol/runs/run-view'
import type { SceneName } from './steps.ts'

/** What a scene needs of the stage: to speak, to see what happened since it began, and to let the agent go on. */
export type Stage = {
  /** Words that are used nowhere else: of the first message and of the second. */
  first: string
  second: string
  say(method: string, params?: Record<string, unknown>): void
  /** The event in which this was first said in this scene. */
  seen(method: string, like?: (params: Record<string, unknown>) => boolean): Promise<number>
  /** Resolves when every process that had to be killed so far has been, and is running again. */
  struck(): Promise<void>
  /** Makes the file that the agent waits for. */
  go(): void
  idle(): Promise<void>
  view(): RunView
  /** What the agent has cost so far, in dollars. */
  cost(): number
  /** Opens the closed run again. */
  reopen(): Promise<void>
}

const chunks = 'say 30 chunks of 40 bytes at 1000 a second'
const isOf = (word: string) => (params: Record<string, unknown>) => String(params.content).includes(word)

/** Does in a run what each scene is about, however often it is cut short. */
export const play: Record<SceneName, (stage: Stage) => Promise<void>> = {
  async work({ say, idle, first, second }) {
    const content = [
      `say ${first}`,
      chunks,
      `append ${first} to log.txt`,
      `ask permission to write ${second}.txt with "${second}"`,
      `ask "Which ${first}?" with options red-${first}, blue-${first}`,
      `say ${second}`,
    ].join('\n')
    say('_posthog/user_message', { content })
    await idle()
  },

  async queue({ say, seen, go, idle, first, second }) {
    say('_posthog/user_message', { content: `say ${first}\nwait for ${first}.go to exist` })
    await seen('_posthog/ack')
    say('_posthog/user_message', { content: `say not-${second}` })
    say('_posthog/user_message', { content: `append withdrawn-${first} to log.txt` })
    const edited = await seen('_posthog/user_message', isOf(second))
    const withdrawn = await seen('_posthog/user_message', isOf('withdrawn-'))
    say('_posthog/message_edit', { messageId: edited, content: `say ${second}` })
    say('_posthog/message_edit', { messageId: withdrawn, content: null })
    await seen('_posthog/message_edit', ({ content }) => content === null)
    go()
    await idle()
  },

  async cancel({ say, seen, idle, first }) {
    say('_posthog/user_message', { content: `say ${first}\n${chunks}\nwait for ${first}.go to exist` })
    await seen('agent_message_chunk')
    say('_posthog/cancel')
    await seen('_posthog/cancel')
    await idle()
  },

  async steer({ say, seen, go, idle, first, second }) {
    say('_posthog/user_message', { content: `say ${first}\nwait for ${first}.go to exist` })
    const id = await seen('_posthog/user_message')
    await seen('agent_message_chunk')
    say('_posthog/user_message', { content: `say ${second}`, when: 'steer' })
    await seen('_posthog/ack', (params) => params.id !== id)
    go()
    await idle()
  },

  async pause({ say, seen, struck, go, idle, first, second }) {
    say('_posthog/user_message', { content: `say ${first}\nwait for ${first}.go to exist` })
    await seen('_posthog/ack')
    say('_posthog/pause')
    await seen('_posthog/pause')
    say('_posthog/user_message', { content: `say ${second}` })
    await seen('_posthog/user_message', isOf(second))
    await struck()
    say('_posthog/resume')
    await seen('_posthog/resume')
    go()
    await idle()
  },

  async turns({ say, idle, seen, first }) {
    say('_posthog/run_limits', { turns: 0 })
    say('_posthog/user_message', { content: `say ${first}` })
    await seen('_posthog/user_message')
    await idle()
    say('_posthog/run_limits', { turns: null })
    await seen('_posthog/run_limits', ({ turns }) => turns === null)
  },

  async cost({ say, idle, seen, go, cost, first }) {
    say('_posthog/run_limits', { costUsd: cost() + 0.5 })
    const content = `say ${first}\nuse 10 tokens costing 1 dollars\nwait for ${first}.go to exist`
    say('_posthog/user_message', { content })
    await Promise.race([seen('_posthog/question_closed'), seen('_posthog/turn_complete')])
    go()
    await idle()
    say('_posthog/run_limits', { costUsd: null })
    await seen('_posthog/run_limits', ({ costUsd }) => costUsd === null)
  },

  async close({ say, seen, idle, struck, reopen, view, first }) {
    say('_posthog/user_message', { content: `say ${first}\n${chunks}\nwait for ${first}.go to exist` })
    await seen('agent_message_chunk')
    say('_posthog/close')
    await seen('_posthog/session_close')
    await struck()
    await reopen()
    // No runner was there to end the turn when the run was closed.
    if (view().openTurns.length > 0) say('_posthog/cancel')
    await idle()
  },
}
