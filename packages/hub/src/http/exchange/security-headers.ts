/**
 * Headers of every response: a browser must trust the content type, run no scripts in it, and not show it to pages of other origins.
 * Many responses hold text of agents, and they come from the origin of the cookie.
 */
export const securityHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
}
