// Events of a soak test besides faults: a paused instance, a restart, and broken documents, with their checks.
import { setTimeout as delay } from 'node:timers/promises';
import { pickOf } from '../support/random.ts';
import { until } from '../support/until.ts';
import { type Question, newQuestion } from './changing-tables.ts';
import type { Place } from './places.ts';
import { LEASE_SECONDS, PAUSE_MS, SHARED_MS } from './settings.ts';
import type { Traffic, Users } from './user.ts';
import type { Warming } from './warming.ts';

/** Time limit for a job to reach BigQuery, also on a busy machine. */
const INSERT_MS_MAX = 4000;
const IN_FLIGHT = 3;
const WAITING = 4;

export function createEvents(
  /** The last one is restarted; the others run, and keep their memory, for the whole test. */
  places: readonly Place[],
  /** Starts a new instance in place of one that has ended. */
  replace: (place: Place) => Promise<void>,
  warming: Warming,
  { users, faults, firestore, stored, random, verdict }: Traffic & { users: Users },
) {
  let spoiled = 0;
  return { pause, restart, spoil };

  /** Pauses the holder of a lease until its lease has ended: its rows must not replace newer ones, which `stored` sees. */
  async function pause(): Promise<void> {
    const place = pickOf(places, random);
    const other = places.find((candidate) => candidate !== place) as Place;
    const question = newQuestion(random);
    const hasCome = faults.hold(textOf(question), 200);
    place.instance.isOpen = false;
    try {
      const ofHolder = users.askRows(place.instance, question);
      if (!(await within(INSERT_MS_MAX, hasCome))) return verdict.count('pauses without a job');
      const going = place.instance.pause(PAUSE_MS);
      const waiting = Array.from({ length: WAITING }, () => users.act(place.instance));
      await delay(LEASE_SECONDS * 1000 + 500);
      // From now on newer rows are stored.
      await users.askRows(other.instance, question);
      await going;
      await Promise.all([ofHolder, ...waiting]);
      verdict.count('pauses');
      await delay(SHARED_MS);
      for (const { instance } of places) await users.askRows(instance, question);
    } finally {
      place.instance.isOpen = true;
    }
  }

  /** Ends an instance with SIGTERM: requests with a job get their rows, the exit code is 0, a new instance starts. */
  async function restart(): Promise<void> {
    const place = places.at(-1) as Place;
    place.instance.isOpen = false;
    const questions = Array.from({ length: IN_FLIGHT }, () => newQuestion(random));
    const haveCome = questions.map((question) => faults.hold(textOf(question), 1500));
    const answers = questions.map((question) => users.askRows(place.instance, question));
    const isInFlight = await within(INSERT_MS_MAX, Promise.all(haveCome));
    const ended = place.instance.terminate();
    for (const reason of await Promise.all(answers)) {
      const isRefused = reason === undefined || reason === 'INSTANCE_STOPPING';
      if (!isInFlight) verdict.count('asked at the end of an instance');
      else if (!isRefused) verdict.count('answered at the end of an instance');
      else verdict.violate(`${place.instance.running.url}: did not answer a request in flight`);
    }
    await ended;
    await replace(place);
  }

  /** Breaks documents: warming counts an unreadable one, and a request treats a broken body as a miss. */
  async function spoil(): Promise<void> {
    const results = firestore.collection('results');
    spoiled += 1;
    const unreadable = results.doc(`unreadable-${spoiled}`);
    const { docs } = await results.orderBy('lastReadAt', 'desc').limit(20).get();
    for (const { id } of docs.filter((document) => document.get('parameters') !== undefined)) {
      if (random() < 0.5) continue;
      stored?.expectBroken(id);
      await results.doc(id).update({ body: Buffer.from('{"result":[{"count":-1}]}') });
      verdict.count('spoiled bodies');
    }
    const damaged = { lastReadAt: new Date(), computedAt: 'yesterday', endpoint: 7 };
    await warming.changeUnreadable(1, () => unreadable.set(damaged));
    await until(() => verdict.countOf('unreadable documents counted') >= spoiled);
    await warming.changeUnreadable(0, () => unreadable.delete());
  }
}

/** A text that only its job contains. */
const textOf = ({ target }: Question): string => /nobody-\d+/.exec(target)?.[0] ?? target;

/** Whether the work ends in this time. */
function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  return Promise.race([work.then(() => true), delay(ms, false, { ref: false })]);
}
