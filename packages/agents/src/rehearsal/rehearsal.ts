import type {
  AvailableCommand,
  ContentBlock,
  EmbeddedResource,
  PlanEntry,
  PromptResponse,
  SessionConfigOption,
} from '@agentclientprotocol/sdk'
import { RequestError } from '@agentclientprotocol/sdk'
import type { AcpProgram, SessionHost, Turn } from '../acp-program.ts'
import { modes, perform } from './perform.ts'
import { phrases } from './phrases.ts'
import { sentences } from './sentences.ts'
import { newState, type Said, type SessionState, type SessionStore } from './session-store.ts'
import { type Session, Stage, type World } from './stage.ts'

const greeting =
  'This is a rehearsal: no model is involved, I only do what the words of a prompt say. `help` lists them.'

export type RehearsalSettings = {
  version: string
  /** Without it, sessions are not saved and cannot be loaded. */
  store: SessionStore | null
  newSessionId(): string
  world: World
}

/** The agent that needs no model. The same prompts in a new session give the same updates. */
export function rehearsal({ version, store, newSessionId, world }: RehearsalSettings): AcpProgram {
  const sessions = new Map<string, Session>()

  const known = (sessionId: string): Session => {
    const session = sessions.get(sessionId)
    if (!session) throw RequestError.sessionNotFound(sessionId)
    return session
  }
  const reopen = (sessionId: string, cwd: string): Session => {
    const stored = sessions.get(sessionId) ?? store?.load(sessionId)
    if (!stored) throw RequestError.sessionNotFound(sessionId)
    const session = { cwd, state: stored.state, said: stored.said }
    sessions.set(sessionId, session)
    return session
  }
  const keepSaid = (sessionId: string, said: Said) => {
    if (said.text === '') return
    known(sessionId).said.push(said)
    store?.note(sessionId, { said })
  }
  const change = (sessionId: string, part: Partial<SessionState>) => {
    const session = known(sessionId)
    session.state = { ...session.state, ...part }
    store?.note(sessionId, { state: session.state })
  }

  async function prompt(blocks: readonly ContentBlock[], turn: Turn): Promise<PromptResponse> {
    const { sessionId } = turn
    const session = known(sessionId)
    const stage = new Stage(turn, session, world)
    const text = textOf(blocks)
    keepSaid(sessionId, { by: 'user', text })
    // Before every step, as it may end the process: what was said must be saved by then.
    const keep = () => {
      keepSaid(sessionId, { by: 'agent', text: stage.takeSpoken() })
      store?.note(sessionId, { state: session.state })
    }
    try {
      if (!session.state.greeted) await stage.say(greeting)
      stage.change({ greeted: true })
      for (const block of blocks) await sayWhatIsGiven(block, stage)
      let steps = sentences(text)
      if (steps.length === 0) await stage.say('That asks for nothing.')
      let plan: PlanEntry[] = []
      let at = -1
      for (;;) {
        turn.signal.throwIfAborted()
        const said = turn.takeSaid().map(textOf)
        for (const text of said) {
          keepSaid(sessionId, { by: 'user', text })
          await stage.say(`You say, while I am at it: ${text}`)
        }
        const [step, ...later] = [...said.flatMap(sentences), ...steps]
        if (!step) return { stopReason: 'end_turn' }
        steps = later
        keep()
        if (step.do === 'plan') {
          plan = step.entries.map((content) => ({ content, priority: 'medium', status: 'pending' }))
          at = -1
          await turn.update({ sessionUpdate: 'plan', entries: plan })
          continue
        }
        at += 1
        await markPlan(plan, at, 'in_progress', turn)
        const stopReason = await perform(step, stage)
        if (stopReason) return { stopReason }
        await markPlan(plan, at, 'completed', turn)
      }
    } finally {
      keep()
    }
  }

  return {
    introduce: () => ({
      agentInfo: { name: 'rehearsal', title: 'Rehearsal', version },
      agentCapabilities: {
        loadSession: store !== null,
        promptCapabilities: { embeddedContext: true, image: false, audio: false },
        sessionCapabilities: { close: {}, ...(store && { resume: {} }) },
      },
      authMethods: [],
    }),
    async newSession({ cwd }) {
      const sessionId = newSessionId()
      sessions.set(sessionId, { cwd, state: { ...newState }, said: [] })
      store?.note(sessionId, { state: newState })
      return { sessionId, ...shown(newState) }
    },
    ...(store && {
      async loadSession({ sessionId, cwd }, host) {
        const session = reopen(sessionId, cwd)
        for (const said of session.said) await replay(said, host)
        return shown(session.state)
      },
      async resumeSession({ sessionId, cwd }) {
        return shown(reopen(sessionId, cwd).state)
      },
    }),
    opened: (host) => host.update({ sessionUpdate: 'available_commands_update', availableCommands }),
    async closeSession(sessionId) {
      sessions.delete(sessionId)
    },
    async setMode(sessionId, mode) {
      if (!modes.some(({ id }) => id === mode)) throw RequestError.invalidParams({ mode })
      change(sessionId, { mode })
    },
    async setConfigOption({ sessionId, configId, value }) {
      if (configId !== 'speed' || !speeds.some((speed) => speed.value === value))
        throw RequestError.invalidParams({ configId, value })
      change(sessionId, { speed: String(value) })
      return { configOptions: shown(known(sessionId).state).configOptions }
    },
    prompt: (request, turn) => prompt(request.prompt, turn),
  }
}

const speeds = [
  { value: 'real', name: 'Real', description: 'Takes the time a prompt names' },
  { value: 'instant', name: 'Instant', description: 'Does not wait' },
]

function shown({ mode, speed }: SessionState) {
  const speedOption: SessionConfigOption = {
    type: 'select',
    id: 'speed',
    name: 'Speed',
    currentValue: speed,
    options: speeds,
  }
  return { modes: { currentModeId: mode, availableModes: [...modes] }, configOptions: [speedOption] }
}

const availableCommands: AvailableCommand[] = phrases
  .filter(({ name }, at) => phrases.findIndex((other) => other.name === name) === at)
  .map(({ name, says, example }) => {
    const hint = example.slice(name.length).trim()
    return { name, description: says, ...(hint && { input: { hint } }) }
  })

function textOf(blocks: readonly ContentBlock[]): string {
  return blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
}

async function sayWhatIsGiven(block: ContentBlock, stage: Stage): Promise<void> {
  if (block.type === 'resource_link') await stage.say(`I was given a link to ${block.uri}.`)
  else if (block.type === 'resource') await stage.say(inWords(block.resource))
  else if (block.type !== 'text')
    await stage.say(`I was given something of type ${block.type}: I cannot use it.`)
}

// A notice beside the user's message has no readable name: its first sentence describes it.
function inWords({ uri, ...resource }: EmbeddedResource['resource']): string {
  const [first] = ('text' in resource && /^.+?(?:[.:](?=\s)|$)/m.exec(resource.text)) || []
  return first && /^farhand:[^/]+$/.test(uri)
    ? `I was told beside your words: ${first}`
    : `I was given ${uri}.`
}

async function markPlan(
  plan: PlanEntry[],
  at: number,
  status: PlanEntry['status'],
  turn: Turn,
): Promise<void> {
  const entry = plan[at]
  if (!entry) return
  plan[at] = { ...entry, status }
  await turn.update({ sessionUpdate: 'plan', entries: [...plan] })
}

async function replay({ by, text }: Said, host: SessionHost): Promise<void> {
  const sessionUpdate = by === 'user' ? 'user_message_chunk' : 'agent_message_chunk'
  await host.update({ sessionUpdate, content: { type: 'text', text } })
}
