import { RequestError } from '@agentclientprotocol/sdk'
import { backoffMs } from '@farhand/kit/backoff'
import { sleep } from '@farhand/kit/sleep'
import { failureOf, type ModelTrouble, modelTrouble } from './model/model-trouble.ts'
import { shortenBefore, shortened, tokensOf } from './model/shortening.ts'
import type { Session } from './sessions/session.ts'
import { type Step, StepFailed, type StepRequest, streamStep } from './stream-step.ts'

const mostFailures = 3
const pace = { firstMs: 500, maxMs: 4_000 }

/** The model's next answer, retried where that helps; throws StepFailed or a RequestError with a text for users. */
export async function nextStep(session: Session, request: Omit<StepRequest, 'messages'>): Promise<Step> {
  const { loaded, turn } = request
  for (let failures = 1; ; failures += 1) {
    const window = Math.min(session.window, loaded.window)
    const room = window - tokensOf([{ role: 'system', content: request.system }])
    session.shortenedBefore = shortenBefore(session.messages, session.shortenedBefore, room)
    const messages = shortened(session.messages, session.shortenedBefore)
    try {
      return await streamStep({ ...request, messages })
    } catch (error) {
      if (!(error instanceof StepFailed)) throw error
      // Users have read this part of the answer, so it belongs to the conversation.
      if (error.spoken !== '') session.note({ message: { role: 'assistant', content: error.spoken } })
      turn.signal.throwIfAborted()
      const trouble = modelTrouble(failureOf(error.cause), loaded, Date.now())
      if (error.spoken !== '' || failures >= mostFailures) throw refusal(trouble, error)
      if (trouble.is === 'passing') await sleep(backoffMs(failures, pace), { signal: turn.signal })
      else if (trouble.is === 'too-long') session.window = Math.floor(tokensOf(messages) * 0.7)
      else throw refusal(trouble, error)
    }
  }
}

function refusal(trouble: ModelTrouble, cause: unknown): RequestError {
  const advice = trouble.is === 'too-long' ? ' Begin a new session, or set FARHAND_MODEL_WINDOW.' : ''
  const error =
    trouble.is === 'busy'
      ? new RequestError(trouble.status, trouble.message, { retryAfterMs: trouble.retryAfterMs })
      : new RequestError(-32603, trouble.message + advice, { trouble: trouble.is })
  error.cause = cause
  return error
}
