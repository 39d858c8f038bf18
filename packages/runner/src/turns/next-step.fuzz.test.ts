import { checkNotification } from '@farhand/protocol/events/check-notification'
import { type Author, StoredEvent } from '@farhand/protocol/wire/event'
import fc from 'fast-check'
import { expect, inject, it } from 'vitest'
import { Orders } from '../orders/orders.ts'
import { nextStep, type Step, type TurnUnderWay } from './next-step.ts'

const web: Author = { kind: 'web', id: 'usr_someone0' }
const hub: Author = { kind: 'hub' }

/** `left` are messages that a dead agent had heard in it; `heard` those that end with it. */
type Turn = TurnUnderWay & { joined: Set<number>; left: number[]; heard: Set<number> }

/** A log, and one runner after the other that does what is decided, and may die after any event. */
class World {
  readonly log: StoredEvent[] = []
  generation = 0
  orders = new Orders()
  turn: Turn | null = null
  ending = new Set<string>()
  asked: string[] = []

  constructor() {
    this.die()
  }

  append(by: Author, method: string, params: Record<string, unknown> = {}): number {
    const notification: unknown = { jsonrpc: '2.0', method, params }
    checkNotification(notification, by.kind)
    const id = this.log.length + 1
    const timestamp = new Date(id * 1000).toISOString()
    this.log.push(StoredEvent.parse({ id, type: 'notification', timestamp, notification, by }))
    if (by.kind === 'runner' && method.startsWith('tool')) this.orders.takeOwn(notification, this.generation)
    else this.orders.take(this.log.at(-1)!)
    return id
  }

  say(method: string, params: Record<string, unknown>): number {
    return this.append({ kind: 'runner', generation: this.generation }, method, params)
  }

  die(): void {
    this.generation += 1
    this.append(hub, '_posthog/session_start', { generation: this.generation })
    this.orders = new Orders()
    for (const event of this.log) this.orders.take(event)
    this.turn = null
    this.ending = new Set()
    this.asked = []
  }

  /** Does what is decided; false when there is nothing to do. */
  act(): boolean {
    const step = nextStep(this.orders, this)
    if (step) this.#do(step)
    return step !== null
  }

  #do(step: Step): void {
    switch (step.do) {
      case 'supersede':
        this.ending.add(step.questionId)
        this.say('_posthog/question_closed', { questionId: step.questionId, how: 'superseded' })
        return
      case 'fail-tool':
        this.say('tool_result', { toolCallId: step.toolCallId, status: 'failed' })
        return
      case 'interrupt':
      case 'end-turn':
        this.ending.add(String(step.messageId))
        this.say('_posthog/turn_complete', { messageId: step.messageId, stopReason: 'interrupted' })
        return
      case 'cancel':
        expect(this.turn).toMatchObject({ messageId: step.messageId, isCancelled: false })
        this.turn!.isCancelled = true
        return
      case 'join':
        expect(this.turn).toMatchObject({ isCancelled: false, steering: 'joins' })
        this.turn!.joined.add(step.messageId)
        this.ack(step.messageId, this.turn!.messageId)
        return
      case 'begin':
        expect(this.turn).toBeNull()
        this.begin(step.messageId)
        return
      case 'close':
        throw new Error('no step of this story closes the run')
    }
  }

  ack(id: number, into?: number): void {
    this.say('_posthog/ack', { for: 'user_message', id, ...(into !== undefined && { into }) })
    expect(this.orders.isOpen(id)).toBe(true)
  }

  begin(messageId: number): void {
    const left = this.orders.joinedInto(messageId)
    this.ack(messageId)
    const joined = new Set(left)
    this.turn = { messageId, isCancelled: false, steering: 'waits', joined, left, heard: new Set() }
  }

  /** Takes on once more what a dead agent had heard, or has the agent hear what was said into the turn. */
  hear(): void {
    const { messageId, left, joined, heard } = this.turn!
    const again = left.shift()
    if (again !== undefined) this.ack(again, messageId)
    const unheard = this.turn!.isCancelled ? undefined : [...joined].find((id) => !heard.has(id))
    const next = again ?? unheard
    if (next !== undefined) heard.add(next)
  }

  agentDies(): void {
    while (this.asked.length > 0) this.closeQuestion()
    const { messageId, isCancelled } = this.turn!
    const acks = this.orders.view.openTurns.find((turn) => turn.messageId === messageId)?.acks ?? 0
    if (isCancelled || acks > 1) this.finish()
    else this.begin(messageId)
  }

  ask(): void {
    const questionId = `qst_${String(this.log.length).padStart(8, '0')}`
    this.asked.push(questionId)
    this.say('_posthog/agent_question', { questionId, question: '?' })
  }

  closeQuestion(): void {
    const questionId = this.asked.pop()
    if (questionId) this.say('_posthog/question_closed', { questionId, how: 'answered' })
  }

  finish(): void {
    while (this.asked.length > 0) this.closeQuestion()
    for (const toolCallId of [...this.orders.openTools.keys()])
      this.say('tool_result', { toolCallId, status: 'completed' })
    while (this.turn!.left.length > 0) this.hear()
    const { messageId, heard } = this.turn!
    this.say('_posthog/turn_complete', { messageId, stopReason: 'end_turn' })
    for (const id of heard)
      this.say('_posthog/turn_complete', { messageId: id, stopReason: 'end_turn', into: messageId })
    this.turn = null
  }

  idsOf(method: string, key: string): unknown[] {
    return this.log
      .filter(({ notification }) => notification.method === method)
      .map(({ id, notification }) => (key === 'id of event' ? id : notification.params![key]))
  }
}

type Deed = { what: string; which: number }
const someMessage = (world: World, which: number) => {
  const ids = world.idsOf('_posthog/user_message', 'id of event')
  return ids[which % Math.max(1, ids.length)]
}
const activity: Record<string, (world: World, which: number) => void> = {
  message: (world) => void world.append(web, '_posthog/user_message', { content: 'hi' }),
  steer: (world) => void world.append(web, '_posthog/user_message', { content: 'hi', when: 'steer' }),
  edit: (world, which) => {
    const messageId = someMessage(world, which)
    if (messageId) world.append(web, '_posthog/message_edit', { messageId, content: which % 2 ? null : 'ho' })
  },
  cancel: (world) => void world.append(web, '_posthog/cancel'),
  pause: (world) => void world.append(web, '_posthog/pause'),
  resume: (world) => void world.append(web, '_posthog/resume'),
  die: (world) => world.die(),
  act: (world) => void world.act(),
  'act all': (world) => {
    for (let steps = 0; world.act(); steps++) expect(steps).toBeLessThan(1000)
  },
  'agent can be steered': (world) => world.turn && Object.assign(world.turn, { steering: 'joins' }),
  'agent cannot be steered': (world) => world.turn && Object.assign(world.turn, { steering: 'cancels' }),
  hear: (world) => world.turn && world.hear(),
  'agent dies': (world) => world.turn && world.agentDies(),
  ask: (world) => world.turn && world.ask(),
  answered: (world) => world.closeQuestion(),
  tool: (world, which) => world.turn && world.say('tool_call', { toolCallId: `t${which}` }),
  finish: (world) => world.turn && world.finish(),
}

const story = fc.array(
  fc.record<Deed>({ what: fc.constantFrom(...Object.keys(activity), 'act', 'act all'), which: fc.nat(20) }),
  // Otherwise no story is longer than ten: a runner that dies twice of one message would hardly be among them.
  { maxLength: 60, size: 'max' },
)

const countOf = (ids: readonly unknown[], id: unknown) => ids.filter((one) => one === id).length

it('W29 W30 if runner or agent die at any event, each message is worked on once or continued once, and each question has one end', () => {
  const property = fc.property(story, (all) => {
    const world = new World()
    for (const { what, which } of all) activity[what]!(world, which)
    world.append(web, '_posthog/resume')
    for (let steps = 0; world.turn || world.act(); steps++) {
      expect(steps).toBeLessThan(1000)
      while (world.act()) expect(world.log.length).toBeLessThan(2000)
      if (world.turn) world.finish()
    }

    const acks = world.idsOf('_posthog/ack', 'id')
    const ends = world.idsOf('_posthog/turn_complete', 'messageId')
    for (const id of world.idsOf('_posthog/user_message', 'id of event')) {
      const times = countOf(acks, id)
      expect(times).toBeLessThanOrEqual(2)
      expect(countOf(ends, id)).toBe(times === 0 ? 0 : 1)
      const withdrawn = world.log.some(
        ({ notification: { params } }) => params?.messageId === id && params?.content === null,
      )
      if (times === 0) expect(withdrawn).toBe(true)
    }
    const closed = world.idsOf('_posthog/question_closed', 'questionId')
    for (const id of world.idsOf('_posthog/agent_question', 'questionId')) expect(countOf(closed, id)).toBe(1)
    expect([...world.orders.openTools, ...world.orders.messages, ...world.orders.joined]).toEqual([])
  })
  const seed = inject('seed')
  fc.assert(property, { numRuns: inject('long') ? 20_000 : 500, ...(seed !== null && { seed }) })
})
