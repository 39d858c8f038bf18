import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'

/**
 * Answers with the pieces as fast as they are taken. A single one goes out in one write with its length; a stream made
 * of it would cost more than the rest of the answer. Stops asking for pieces once nobody is there to take them.
 */
export async function sendPieces(
  res: ServerResponse,
  headers: OutgoingHttpHeaders,
  pieces: AsyncIterable<Uint8Array>,
): Promise<void> {
  // One is held back until it is known whether it is the last.
  let held: Uint8Array | null = null
  try {
    for await (const piece of pieces) {
      if (held) {
        if (!res.headersSent) res.writeHead(200, headers)
        if (!res.write(held)) await drained(res)
      }
      if (res.destroyed) return
      held = piece
    }
  } catch (error) {
    // What has begun cannot become an answer that says so: only a cut tells that it is not whole.
    if (res.headersSent) res.destroy()
    throw error
  }
  if (!res.headersSent) res.writeHead(200, { ...headers, 'Content-Length': held?.length ?? 0 })
  res.end(held ?? undefined)
}

function drained(res: ServerResponse): Promise<void> {
  if (res.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    const over = () => {
      res.off('drain', over)
      res.off('close', over)
      resolve()
    }
    res.on('drain', over)
    res.on('close', over)
  })
}
