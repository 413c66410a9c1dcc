export type { ChatOptions, Person, SessionChoice } from "./chat-options.js";
export type { Chat, Content, TurnResult } from "./conversation/chat.js";
export type { ChatEvent } from "./conversation/chat-event.js";
export { type AnthropicModelOptions, createAnthropicModel } from "./model/anthropic-model.js";
export type { Answer, AnswerListener, Model, ModelRequest } from "./model/model.js";
export { type OpenedChat, openChat } from "./open-chat.js";
