/** The WebSocket subprotocol with which a page requests a stream (W55); the answer names it too. */
export const streamProtocol = 'farhand.stream'

/** The prefix of a second subprotocol: the page's half of its session's token, which a WebSocket cannot send as a header. */
export const keyProtocol = 'farhand.key.'
