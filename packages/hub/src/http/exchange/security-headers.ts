/**
 * What every answer carries, whatever it is: a browser takes it for nothing else than it says, runs nothing in it, and shows it to no
 * page of another origin. What agents write is in many of them, and they come from the origin that has the cookie.
 */
export const securityHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
}
