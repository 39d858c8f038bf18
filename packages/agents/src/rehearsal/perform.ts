import { access } from 'node:fs/promises'
import type { SessionMode } from '@agentclientprotocol/sdk'
import { RequestError, type StopReason } from '@agentclientprotocol/sdk'
import { sleep } from '@farhand/kit/sleep'
import { callOf, readingOf } from './actions.ts'
import { ask } from './ask.ts'
import { phrases } from './phrases.ts'
import { stepOf } from './sentences.ts'
import type { Stage } from './stage.ts'
import type { Step } from './step.ts'
import { toolCall } from './tool-call.ts'
import { workspacePath } from './workspace-path.ts'

const lookEveryMs = 25
const chunksPerBreath = 64
const contextSize = 200_000

/** Performs the step of one sentence; returns the stop reason if the turn ends with it, otherwise null. */
export async function perform(step: Step, stage: Stage): Promise<StopReason | null> {
  const { state, turn, world } = stage
  switch (step.do) {
    case 'help':
      await stage.say(helpText)
      break
    case 'write':
    case 'append':
    case 'delete':
    case 'rename':
    case 'run':
      await toolCall(stage, callOf(step, stage, state.mode === 'careful'))
      break
    case 'ask-permission':
      await toolCall(stage, callOf(step.action, stage, true))
      break
    case 'read':
      await toolCall(stage, readingOf(step.path, stage))
      break
    case 'think':
      await think(step.ms, stage)
      break
    case 'say':
      await stage.say(step.text)
      break
    case 'say-chunks':
      await sayChunks(step, stage)
      break
    case 'ask':
      await askAndRepeat(step, stage)
      break
    case 'set-mode':
      await setMode(step.mode, stage)
      break
    case 'set-title':
      await turn.update({ sessionUpdate: 'session_info_update', title: step.title })
      break
    case 'use': {
      const dollars = step.dollars === null ? state.dollars : (state.dollars ?? 0) + step.dollars
      stage.change({ tokens: state.tokens + step.tokens, dollars })
      await turn.update({
        sessionUpdate: 'usage_update',
        used: stage.state.tokens,
        size: contextSize,
        ...(dollars !== null && { cost: { amount: dollars, currency: 'USD' } }),
      })
      break
    }
    case 'remember':
      stage.change({ memory: { ...state.memory, [step.key]: step.value } })
      await stage.say(`I shall remember that ${step.key} is ${step.value}.`)
      break
    case 'recall': {
      const value = Object.hasOwn(state.memory, step.key) ? state.memory[step.key] : undefined
      await stage.say(
        value === undefined ? `I was not told what ${step.key} is.` : `${step.key} is ${value}.`,
      )
      break
    }
    case 'wait':
      await stage.pause(step.ms)
      break
    case 'wait-for':
      await waitFor(step.path, stage)
      break
    case 'repeat':
      return repeat(step, stage)
    case 'rate-limit':
      rateLimit(step.ms, stage)
      break
    case 'fail':
      throw new RequestError(-32603, step.message)
    case 'stop':
      return step.reason
    case 'crash':
      return world.crash(step.code)
    case 'hang':
      if (step.hard) world.turnDeaf()
      return new Promise(() => {})
    // The turn keeps the plan, which is about the sentences that follow.
    case 'plan':
      break
    case 'unknown':
      await stage.say(`I do not understand "${step.words}". \`help\` lists what I do.`)
      break
  }
  return null
}

async function think(ms: number, stage: Stage): Promise<void> {
  const thoughts = Math.max(1, Math.ceil(ms / 1_000))
  for (let at = 1; at <= thoughts; at += 1) {
    await stage.think(`${at === 1 ? '' : ' '}Thinking, ${at} of ${thoughts}.`)
    await stage.pause(ms / thoughts)
  }
}

type Chunks = Extract<Step, { do: 'say-chunks' }>

async function sayChunks({ chunks, bytes, perSecond }: Chunks, stage: Stage): Promise<void> {
  const begunAtMs = stage.world.nowMs()
  for (let at = 1; at <= chunks; at += 1) {
    // Measured from the beginning: timers are late, and delays would add up.
    const aheadMs = perSecond === null ? 0 : begunAtMs + ((at - 1) * 1_000) / perSecond - stage.world.nowMs()
    if (aheadMs > 0) await stage.pause(aheadMs)
    else if (at % chunksPerBreath === 0) await stage.breathe()
    await stage.chunk(`chunk ${at} of ${chunks} `.padEnd(bytes, '.'))
  }
}

async function askAndRepeat(step: Extract<Step, { do: 'ask' }>, stage: Stage): Promise<void> {
  if (step.options.length === 0 && !stage.turn.capabilities.elicitation?.form) {
    await stage.say('I cannot ask that: this host only supports questions with options.')
    return
  }
  const answer = await ask(stage, step)
  await stage.say(answer === null ? 'You did not answer.' : `You answered: ${answer}`)
}

async function setMode(mode: string, stage: Stage): Promise<void> {
  if (!modes.some(({ id }) => id === mode)) {
    await stage.say(`There is no mode ${mode}: there are ${modes.map(({ id }) => id).join(' and ')}.`)
    return
  }
  stage.change({ mode })
  await stage.turn.update({ sessionUpdate: 'current_mode_update', currentModeId: mode })
}

async function waitFor(name: string, stage: Stage): Promise<void> {
  const file = await workspacePath(stage.session.cwd, name).catch(() => null)
  if (file === null) {
    await stage.say(`I do not wait for ${name}: it is outside of the workspace.`)
    return
  }
  const isThere = () =>
    access(file).then(
      () => true,
      () => false,
    )
  while (!(await isThere())) await sleep(lookEveryMs, { signal: stage.turn.signal })
  await stage.say(`${name} is there.`)
}

async function repeat(
  { times, sentence }: Extract<Step, { do: 'repeat' }>,
  stage: Stage,
): Promise<StopReason | null> {
  for (let time = 1; time <= times; time += 1) {
    await stage.breathe()
    const stop = await perform(stepOf(sentence.replaceAll('{n}', String(time))), stage)
    if (stop) return stop
  }
  return null
}

// A limit is stored under its duration, so that the same prompt sent again meets the same limit, and then none.
function rateLimit(ms: number, stage: Stage): void {
  const { limits, speed } = stage.state
  const nowMs = stage.world.nowMs()
  const name = String(ms)
  const endsAtMs = limits[name] ?? nowMs + (speed === 'instant' ? 0 : ms)
  const isNew = limits[name] === undefined
  if (!isNew && nowMs >= endsAtMs) return
  stage.change({ limits: { ...limits, [name]: endsAtMs } })
  const seconds = isNew ? ms / 1_000 : Math.ceil((endsAtMs - nowMs) / 1_000)
  const error = {
    type: 'rate_limit_error',
    message: `This request would exceed your rate limit. Please retry after ${seconds} seconds.`,
  }
  throw new RequestError(-32603, `429 ${JSON.stringify({ type: 'error', error })}`, {
    statusCode: 429,
    retryAfterSeconds: seconds,
    error,
  })
}

/** The answer to `help`. */
const helpText = [
  'I do what the sentences of a prompt say, one after the other. These I understand:',
  '',
  ...phrases.map(({ example, says }) => `- ${codeOf(example)} ${says}`),
  '',
  'A text in quotation marks is taken as it is; \\n in it is a new line. Files are those of the workspace.',
].join('\n')

// An example may contain backticks.
function codeOf(example: string): string {
  return example.includes('`') ? `\`\` ${example} \`\`` : `\`${example}\``
}

export const modes: readonly SessionMode[] = [
  { id: 'normal', name: 'Normal', description: 'Asks only when a prompt says so' },
  { id: 'careful', name: 'Careful', description: 'Asks permission before every change and every command' },
]
