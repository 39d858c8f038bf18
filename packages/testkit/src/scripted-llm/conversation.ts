/** A tool that an agent offers to its model. `input` is the JSON schema of it, or null if it takes free text. */
export type OfferedTool = { name: string; input: JsonSchema | null }

export type JsonSchema = { readonly [key: string]: unknown }

/** The content of a request to a model, the same for every dialect. */
export type Conversation = {
  model: string
  /** The last paragraph of the user, without what the agent wrapped around it. */
  userText: string
  /** All texts that were sent to it, with everything that the agent wrapped around them. */
  heard: string
  /** What tools gave back since then, in order. */
  results: readonly string[]
  tools: readonly OfferedTool[]
  /** The form in which an answer is wanted, if the agent asks for data instead of words. */
  form: JsonSchema | null
}

/**
 * One message of the conversation; those of the model itself do not matter to a script. A note is text that came beside
 * the user's words: it counts as heard, and asks for nothing.
 */
export type Said = { by: 'user' | 'tool' | 'note'; text: string }

/** The conversation from its messages: everything after the last words of the user is this turn. */
export function conversationOf(
  said: readonly Said[],
  rest: Pick<Conversation, 'model' | 'tools' | 'form'>,
): Conversation {
  let userText = ''
  let results: string[] = []
  for (const { by, text } of said) {
    if (by === 'tool') results.push(text)
    else if (by === 'user') {
      const words = wordsOfUser(text)
      // Agents put their own notes beside the user's words and between results of tools.
      if (words === '') continue
      userText = words
      results = []
    }
  }
  return { ...rest, userText, results, heard: said.map(({ text }) => text).join('\n') }
}

/** How Claude passes a message that came during a turn to its model: alone, or between two paragraphs of its own. */
const saidMeanwhile =
  /^[^\n]* while you were working:\n([\s\S]*?)\n\nThis is how Claude Code surfaces [\s\S]*$/

/**
 * Only the last paragraph: some agents glue a message that failed to the one after it, and runners put notes before a
 * message.
 */
const wordsOfUser = (text: string) =>
  text
    .replace(saidMeanwhile, '$1')
    .replaceAll(/<([a-zA-Z][\w-]*)[^>]*>[\s\S]*?<\/\1>/g, '')
    .trim()
    .split(/\n\s*\n/)
    .at(-1) ?? ''
