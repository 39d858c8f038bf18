import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'

/**
 * Sends the pieces as fast as the client takes them. A single piece is sent in one write with its length, which is much cheaper than a
 * stream. Stops reading pieces once the client has disconnected.
 */
export async function sendPieces(
  res: ServerResponse,
  headers: OutgoingHttpHeaders,
  pieces: AsyncIterable<Uint8Array>,
): Promise<void> {
  // One piece is held back until it is known whether it is the last.
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
    // A response that has begun cannot report the error: closing the connection shows that it is incomplete.
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
