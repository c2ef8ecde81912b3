/* Marking a written answer in nbgrader's Formgrader: boxes to tick, whose sum becomes the score, and keys for them.
   What is ticked goes into nbgrader's own fields, which save themselves: the first lines of the comment are the boxes. */
(function () {
  "use strict";

  var TICK = /^- \[([ xX])\] (.*)$/;
  var all = JSON.parse(document.getElementById("written-answers").textContent);
  var panels = [], failed = {};  // the addresses of what nbgrader did not save, with its answer's status
  var line = [];  // of requests to save, the first of which is on its way
  var CONFLICT = 409;  // the answer or the mark isn't what this page shows any more

  function split(comment) {  // a comment's first lines, which are boxes, and the rest of it
    var lines = comment.split("\n"), boxes = [];
    while (lines.length && TICK.test(lines[0])) { boxes.push(lines.shift().match(TICK)); }
    while (boxes.length && lines.length && !lines[0].trim()) { lines.shift(); }
    return {boxes: boxes, rest: lines.join("\n")};
  }

  function joined(items, ticked, rest) {  // the comment that says what is ticked
    var lines = items.map(function (item, n) { return "- [" + (ticked[n] ? "x" : " ") + "] " + item.text; });
    return lines.join("\n") + (rest ? "\n\n" + rest : "");
  }

  function points(asked, ticked) {
    var share = asked.points / asked.items.length;
    return Math.round(100 * share * ticked.filter(Boolean).length) / 100;
  }

  function Panel(asked) {
    this.asked = asked;
    this.score = $("#" + asked.cell);
    this.comment = $("#" + asked.cell + "-comment");
    this.ticked = asked.items.map(function () { return false; });
    this.build();
    this.read();
    this.comment.on("change", this.read.bind(this));
    this.seen = {manual_score: [], extra_credit: [], manual_comment: []};  // what a grader saw here, and may replace
    this.send_seen(formgrader.grades, {manual_score: Number, extra_credit: Number});
    this.send_seen(formgrader.comments, {manual_comment: String});
  }

  Panel.prototype.send_seen = function (models, fields) {  // with what is saved goes which answer it is for
    var seen = this.seen, model = models.findWhere({name: this.asked.cell});
    function see(values) {
      Object.keys(fields).forEach(function (field) {
        seen[field].push(values[field] === null ? null : fields[field](values[field]));
      });
    }
    see(model.attributes);
    model.set({answer: this.asked.version, seen: seen}, {silent: true});
    model.sync = in_line;
    model.on("request", function (model, request, options) { see(options.attrs); });
  };

  function in_line(method, model, options) {  // one request after the other: of two at once the older might come last, and stay
    options.attrs = model.toJSON();
    options.complete = function () { line.shift(); if (line.length) { line[0].send(); } };
    line = line.filter(function (each, n) { return n === 0 || each.model !== model; });
    line.push({model: model, send: function () { Backbone.sync(method, model, options); }});
    if (line.length === 1) { line[0].send(); }
  }

  Panel.prototype.build = function () {
    var that = this, asked = this.asked;
    this.el = $("<section/>", {"class": "written-marking", tabindex: 0, "aria-label": "Criteria of this written answer"});
    if (asked.answer) {
      this.el.append($("<details/>").append($("<summary/>").text("Model answer"), $("<div/>").html(asked.answer)));
    }
    this.list = $("<ol/>");
    asked.items.forEach(function (item, n) {
      var box = $("<input/>", {type: "checkbox", id: asked.cell + "-criterion-" + (n + 1)});
      box.on("change", function () { that.set(n, box.prop("checked")); });
      var label = $("<label/>", {"for": box.attr("id")}).html(item.shown);
      that.list.append($("<li/>").append($("<kbd/>").text(n < 9 ? n + 1 : ""), box, label));
    });
    this.sum = $("<p/>", {"class": "sum", "aria-live": "polite"});
    this.problem = $("<p/>", {"class": "not-saved", role: "alert"});
    this.el.append(this.list, this.sum, this.problem);
    if (asked.note) { this.el.append($("<div/>").html(asked.note)); }
    if (asked.same.length) { this.el.append(this.others()); }
    if (asked.comments.length) { this.el.append(this.used()); }
    var keys = asked.items.length ? "Keys: 1 to " + Math.min(9, asked.items.length) + " tick, 0 none of them, " : "Keys: ";
    this.el.append($("<p/>", {"class": "keys"}).text(keys + "c comment, n next student, p previous."));
    this.comment.closest(".panel-footer").before(this.el);
  };

  Panel.prototype.others = function () {  // who wrote the same, and one button for all of them
    var that = this, asked = this.asked, box = $("<details/>", {open: true});
    var count = asked.same.length === 1 ? "1 other student wrote" : asked.same.length + " other students wrote";
    box.append($("<summary/>").text(count + " the same"));
    asked.same.forEach(function (other, n) {
      box.append(n ? ", " : "", $("<a/>", {href: base_url + "/submissions/" + other.submission + "/"}).text("open " + (n + 1)));
    });
    var button = $("<button/>", {type: "button", "class": "btn btn-default btn-sm give-same"}).text("Give them the same marks and comment");
    var said = $("<span/>", {"class": "given", role: "status"});
    button.on("click", function () {
      button.prop("disabled", true);
      when_saved(function () { that.give(asked.same.slice(), said, button); });
    });
    return box.append(" ", button, " ", said);
  };

  Panel.prototype.give = function (left, said, button) {  // one after the other: each is saved before the next begins
    var that = this, all = this.asked.same.length;
    if (!left.length) { said.text("Done: " + all + " of " + all + "."); button.prop("disabled", false); return; }
    var other = left.shift().submission;
    function failed(answer) {
      var why = answer.status === CONFLICT ? "this student has submitted another answer. Reload the page." : "nbgrader did not save it.";
      said.text("Stopped after " + (all - left.length - 1) + " of " + all + ": " + why);
      button.prop("disabled", false);
    }
    $.when($.getJSON(base_url + "/api/grades", {submission_id: other}), $.getJSON(base_url + "/api/comments", {submission_id: other}))
      .then(function (grades, comments) {
        function named(found) { return found[0].filter(function (each) { return each.name === that.asked.cell; })[0]; }
        var grade = named(grades), comment = named(comments), score = that.score.val();
        return $.when(put("grade", grade.id, {manual_score: score === "" ? null : Number(score), extra_credit: grade.extra_credit, answer: that.asked.version}),
                      put("comment", comment.id, {manual_comment: that.comment.val(), answer: that.asked.version}));
      })
      .then(function () { said.text((all - left.length) + " of " + all + " …"); that.give(left, said, button); }, failed);
  };

  function put(kind, id, data) {
    return $.ajax({url: base_url + "/api/" + kind + "/" + id, method: "PUT", contentType: "application/json", of_another: true,
                   data: JSON.stringify(data), headers: {"X-CSRFToken": getCookie("_xsrf"), "X-XSRFToken": getCookie("_xsrf")}});
  }

  Panel.prototype.used = function () {  // comments that were used before
    var that = this, pick = $("<select/>", {"class": "form-control input-sm", "aria-label": "Use a comment again"});
    pick.append($("<option/>").text("Use a comment again …").val(""));
    this.asked.comments.forEach(function (text, n) {
      pick.append($("<option/>").text(text.length > 90 ? text.slice(0, 89) + "…" : text).val(n));
    });
    pick.on("change", function () {
      if (pick.val() === "") { return; }
      var text = that.asked.comments[Number(pick.val())], now = that.comment.val();
      that.comment.val(now.trim() ? now + (split(now).rest ? "\n" : "\n\n") + text : text).trigger("change");
      pick.val("");
      that.el.focus();
    });
    return pick;
  };

  Panel.prototype.read = function () {  // the boxes as the comment has them
    var boxes = split(this.comment.val() || "").boxes;
    this.ticked = this.asked.items.map(function (item, n) {
      var found = boxes.filter(function (box) { return box[2].trim() === item.text.trim(); })[0] || null;
      return !!found && found[1] !== " ";
    });
    this.show();
  };

  Panel.prototype.show = function () {
    var ticked = this.ticked;
    this.list.find("input").each(function (n) { $(this).prop("checked", ticked[n]); });
    if (this.asked.items.length) {
      this.sum.text(points(this.asked, ticked) + " of " + this.asked.points + " points by the criteria");
    }
  };

  Panel.prototype.set = function (n, on) {  // ticks a box, or with n < 0 none of them, and has nbgrader save that
    this.ticked = this.ticked.map(function (before, each) { return n < 0 ? false : each === n ? on : before; });
    var rest = split(this.comment.val() || "").rest;
    this.comment.val(joined(this.asked.items, this.ticked, rest)).trigger("change");
    this.score.val(points(this.asked, this.ticked)).trigger("change");
    this.show();
  };

  function when_saved(then) {  // nothing is left on its way when the page is
    if ($.active) { $(document).one("ajaxStop", then); } else { then(); }
  }

  $(document).on("ajaxSuccess ajaxError", function (event, answer, sent) {
    if (sent.type !== "PUT" || sent.of_another || !/\/api\/(grade|comment)\//.test(sent.url)) { return; }
    if (event.type === "ajaxError") { failed[sent.url] = answer.status; } else { delete failed[sent.url]; }
    var said = !unsaved() ? "" : outdated() ? "Not saved: since you opened this page, the student has submitted another answer, " +
      "or another grader has marked it. Copy your comment if you want to keep it, then reload the page." :
      "Not saved yet. Press n or p to try again; the page moves on once everything is saved.";
    panels.forEach(function (panel) { panel.problem.text(said); });
  });

  function unsaved() { return Object.keys(failed).length > 0; }

  function outdated() { return Object.keys(failed).some(function (url) { return failed[url] === CONFLICT; }); }

  function leave(go) {  // once all is saved; what was not is tried once more
    function saved() { if (!unsaved()) { go(); } }
    when_saved(function () {
      if (!unsaved()) { go(); return; }
      panels.forEach(function (panel) { panel.comment.trigger("change"); panel.score.trigger("change"); });
      when_saved(saved);
    });
  }

  $(window).on("beforeunload", function (event) { if (unsaved() && !outdated()) { event.preventDefault(); return ""; } });

  function current() {
    var focused = $(document.activeElement).closest(".written-marking")[0];
    return panels.filter(function (panel) { return panel.el[0] === focused; })[0] || panels[0];
  }

  $(document).on("keydown", function (event) {
    var on = document.activeElement, kind = on && on.tagName;
    if (event.ctrlKey || event.altKey || event.metaKey || kind === "TEXTAREA" || kind === "SELECT" ||
        (kind === "INPUT" && on.type !== "checkbox")) { return; }
    var panel = current(), key = event.key.toLowerCase(), number = Number(key);  // small letters: Caps Lock may be on
    if (event.originalEvent.repeat && /^[0-9np]$/.test(key)) {  // a key held down is pressed once
      event.preventDefault();
      return;
    }
    if (key === "n" || key === "p") {
      leave((key === "n" ? formgrader.nextAssignment : formgrader.prevAssignment).bind(formgrader));
    } else if (key === "c") {
      panel.comment.focus();
    } else if (key !== " " && panel.asked.items.length && number >= 0 && number <= panel.asked.items.length) {
      panel.set(number - 1, !panel.ticked[number - 1]);
    } else { return; }
    event.preventDefault();
  });

  function begin() {  // once nbgrader's own fields are filled in: their placeholders say so
    var ready = all.every(function (asked) {
      return $("#" + asked.cell + "-comment").attr("placeholder") && $("#" + asked.cell + "_extra_credit").attr("placeholder");
    });
    if (!ready || !formgrader.loaded) { setTimeout(begin, 50); return; }
    panels = all.map(function (asked) { return new Panel(asked); });
    panels[0].el.focus();
    $(document).trigger("written-answers-ready");
  }
  $(window).on("load", begin);
}());
