/** Names under which the ports of the A2A surface that are no classes are injected. */

/** Durable tasks: `Tasks`. */
export const TASKS = Symbol('Tasks');

/** Webhooks of tasks: `PushConfigs`. */
export const PUSH_CONFIGS = Symbol('PushConfigs');

/** What texts are about: `TextClassifier`. */
export const TEXT_CLASSIFIER = Symbol('TextClassifier');
