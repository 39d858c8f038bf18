/** How a page asks for a stream as a WebSocket (W55); the answer names it. */
export const streamProtocol = 'farhand.stream'

/** Before the page's half of its session's token, which it cannot send as a header then. */
export const keyProtocol = 'farhand.key.'
