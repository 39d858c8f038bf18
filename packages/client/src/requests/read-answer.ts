import { Unreachable } from './refusal.ts'

/** The text of an answer, if it is no longer than a hub would make it: an endless one must not fill the memory. */
export async function readText(response: Response, mostBytes: number): Promise<string> {
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  for (let bytes = 0; ; ) {
    const piece = await reader?.read()
    if (!piece || piece.done) return text + decoder.decode()
    bytes += piece.value.length
    if (bytes > mostBytes) {
      await reader?.cancel()
      throw new Unreachable(`an answer of more than ${mostBytes} bytes`)
    }
    text += decoder.decode(piece.value, { stream: true })
  }
}
