import type { ServerContext } from '@modelcontextprotocol/server'

// Hosts end a call that is silent for a minute; with a sign of life many wait on.
const signOfLifeMs = 10_000

/** Tells the host how a call gets on, if it wants to know; `stop` must be called at the end. */
export function progressNotes(ctx: ServerContext): { note: (text: string) => void; stop: () => void } {
  const token = ctx.mcpReq._meta?.progressToken
  if (token === undefined) return { note: () => {}, stop: () => {} }
  let count = 0
  let last = 'waiting for the cloud agent'
  const send = () => {
    count += 1
    const params = { progressToken: token, progress: count, message: last }
    // A host that went away is noticed by the call itself.
    ctx.mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {})
  }
  const timer = setInterval(send, signOfLifeMs)
  const note = (text: string) => {
    last = text
    send()
  }
  return { note, stop: () => clearInterval(timer) }
}
