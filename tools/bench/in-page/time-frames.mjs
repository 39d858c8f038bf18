// Runs in a page before its own scripts: measures the time between frames while `frameTimes` is set.
const page = /** @type {{ frameTimes?: number[] }} */ (globalThis)
/** @type {number | null} */
let last = null
const onFrame = (/** @type {number} */ at) => {
  const times = page.frameTimes
  if (times && last !== null) times.push(at - last)
  last = times ? at : null
  requestAnimationFrame(onFrame)
}
requestAnimationFrame(onFrame)
