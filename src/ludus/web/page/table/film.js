// Views of a table come as they happen, sometimes several at once. The film shows them one after the other, so that a
// roll and the move after it can be followed, and catches up soon when there are many.
import { motionTime } from "../settings.js";

const WHOLE = 2000; // milliseconds: whatever waits is shown within this time
const OWN = 0.35; // of the time of a motion, until the next one begins
const OTHERS = 1.2;
// Plies that are fetched when they were missed: one answer may have the rolls and moves of all, until somebody is asked again.
const GAP = 12;

export class Film {
  // `fetchView(ply)` asks the server for a view, `show(view)` puts one on the screen, `isOwn(ply)` says whether a step was
  // made here.
  constructor(fetchView, show, isOwn) {
    Object.assign(this, { fetchView, show, isOwn });
    this.ply = null; // that is shown, or will be
    this.line = Promise.resolve();
    this.waiting = 0;
    this.running = true;
  }

  push(view) {
    const missed = this.ply === null ? 0 : view.ply - this.ply - 1;
    const worth = missed > 0 && missed <= GAP && motionTime() > 0;
    // Asked for now, shown in their turn. One that can't be had is left out.
    for (let ply = this.ply + 1; worth && ply < view.ply; ply += 1) this.enqueue(this.fetchView(ply).catch(() => null));
    this.ply = view.ply;
    this.enqueue(view);
  }

  enqueue(coming) {
    this.waiting += 1;
    this.line = this.line.then(async () => {
      const view = await coming;
      this.waiting -= 1;
      if (!this.running) return;
      if (view) this.show(view);
      // Whoever made a move has seen it: the answer to it need not wait for long.
      const time = motionTime() * (view && this.isOwn(view.ply) ? OWN : OTHERS);
      if (this.waiting && time) await new Promise((done) => setTimeout(done, Math.min(time, WHOLE / (this.waiting + 1))));
    });
  }

  stop() {
    this.running = false;
  }
}
