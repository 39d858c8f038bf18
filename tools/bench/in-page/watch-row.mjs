// Runs in a page before anything else does, as it is: tells when the row of the event `watched` was painted in sight.
const page = /** @type {{ watched?: number, paintedMs?: number }} */ (globalThis)
const look = () => {
  const box = document.querySelector(`[role=log] [data-event="${page.watched}"]`)?.getBoundingClientRect()
  if (!box || box.bottom <= 0 || box.top >= innerHeight) {
    requestAnimationFrame(look)
    return
  }
  // What is there before a frame is painted with it; a message comes after that.
  const { port1, port2 } = new MessageChannel()
  port1.onmessage = () => {
    page.paintedMs = performance.now()
  }
  port2.postMessage(null)
}
requestAnimationFrame(look)
