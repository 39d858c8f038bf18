import { offerMark } from './queue-offer.ts'

/**
 * The first message of a request that a sandbox answers: what cannot be done there, and how the agent leaves the rest to the user's
 * computer. The user's words come last, and word for word.
 */
export const cloudBriefing = (message: string): string =>
  [
    "The user's own computer is not connected, so this request is answered in a sandbox of the hub.",
    "From here you cannot reach files, apps, screen or network of the user's computer. You can write, research, run code and build in the sandbox.",
    `Do what can be done here and say what you could not do. If something is left that needs the user's computer, end your answer with one line that begins with "${offerMark}" and says completely what is to be done there. The user is then asked whether to queue it for that computer; do not pretend that it was done.`,
    '',
    "The user's request:",
    '',
    message,
  ].join('\n')
