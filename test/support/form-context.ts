import type { SubscribeRequest } from '../../src/core/model/request.ts';
import type { Form } from '../../src/messages/subscribing/form-fields.ts';

/** What a form for a project is opened with. */
export const projectStart: SubscribeRequest = {
  act: 'subscribe',
  target: { kind: 'project', projectId: '123-456-789' },
  comprehensive: true,
  filters: {},
};

/** The second step of the form that was just opened in a channel for a project. */
export const newForm: Form = {
  start: projectStart,
  channelId: 'C0PLANS001',
  more: false,
  zone: 'Europe/Stockholm',
  isOwnZone: true,
  folders: [],
  names: new Map(),
};
